/* The code that a user is writing, kept in this browser: one draft for each game and language. */

const PREFIX = 'hexarena.draft'


const key = (...parts: string[]): string => [PREFIX, ...parts].join('.')

export const readDraft = (game: string, language: string): string | null => read(key(game, language))

/** Null deletes the draft. */
export const writeDraft = (game: string, language: string, source: string | null): void => write(key(game, language), source)

export const readLanguage = (game: string): string | null => read(key(game))
export const writeLanguage = (game: string, language: string): void => write(key(game), language)

/** The bot name of the last submission. */
export const readBotName = (game: string): string | null => read(key(game, 'bot-name'))
export const writeBotName = (game: string, name: string): void => write(key(game, 'bot-name'), name)

function read(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

function write(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name)
    else localStorage.setItem(name, value)
  } catch {
    // Storage may be full or forbidden; the text then lasts as long as the page.
  }
}
