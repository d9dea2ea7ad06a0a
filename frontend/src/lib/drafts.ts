/* The code that a user is writing, kept in this browser: one draft for each game and language. */
import { isStored, keep, keptNames, readKept } from './storage'

const PREFIX = 'hexarena.draft'

const key = (...parts: string[]): string => [PREFIX, ...parts].join('.')

/** Where a draft is kept: the key of the browser's storage events, too. */
export const draftKey = (game: string, language: string): string => key(game, language)

/** The code beside the draft, where two tabs differ, or a version was opened over it: nothing is lost if all are closed. */
export const readOther = (game: string, language: string): string | null => readKept(key(game, language, 'other'))
export const writeOther = (game: string, language: string, source: string | null): boolean => keep(key(game, language, 'other'), source)

/** Keeps the code beside the draft further back, before other code takes its place. */
export function pushOther(game: string, language: string): void {
  const other = readOther(game, language)
  if (other !== null) keep(key(game, language, 'others'), JSON.stringify([other, ...readOthers(game, language)]))
}
/** Forgets the code beside the draft. Returns what is there then: what was kept further back, else null. */
export function popOther(game: string, language: string): string | null {
  const [next = null, ...rest] = readOthers(game, language)
  writeBeside(game, language, next, rest)
  return next
}
const readOthers = (game: string, language: string): string[] => readList(key(game, language, 'others'))

/** False where some of it is gone with the page. */
function writeBeside(game: string, language: string, other: string | null, others: string[]): boolean {
  const written = writeOther(game, language, other)
  return writeList(key(game, language, 'others'), others) && written
}

function readList(name: string): string[] {
  try {
    return JSON.parse(readKept(name) ?? '[]') as string[]
  } catch {
    return []
  }
}
const writeList = (name: string, list: string[]): boolean => keep(name, list.length ? JSON.stringify(list) : null)

export const readDraft = (game: string, language: string): string | null => readKept(key(game, language))

/** Null deletes the draft. */
export const writeDraft = (game: string, language: string, source: string | null): boolean => keep(key(game, language), source)
/** False where the draft is gone with the page. */
export const draftLasts = (game: string, language: string): boolean => isStored(key(game, language))

/** Opens other code as the draft. What was written here is kept beside it, unless that is the starter.
 *  False, and nothing is done, where something else is kept there already: it would be lost. */
export function openDraft(game: string, language: string, source: string, starter: string): boolean {
  const mine = readDraft(game, language)
  if (mine !== null && mine !== source && mine !== starter) {
    const other = readOther(game, language)
    if (other !== null && other !== mine && other !== source) return false
    writeOther(game, language, mine)
  }
  writeDraft(game, language, source)
  return true
}

export const readLanguage = (game: string): string | null => readKept(key(game))
export const writeLanguage = (game: string, language: string): boolean => keep(key(game), language)

/** The arena's copy of a draft, as this browser saw it last: whose, its revision, and a fingerprint of its code. */
export interface Base {
  account: number
  revision: number
  print: string
}

export function readBase(game: string, language: string): Base | null {
  const kept = readKept(key(game, language, 'base'))
  try {
    return kept === null ? null : (JSON.parse(kept) as Base)
  } catch {
    return null
  }
}
export const writeBase = (game: string, language: string, base: Base): boolean => keep(key(game, language, 'base'), JSON.stringify(base))

/** An account that uses this browser after another one leaves the other's copy alone: that is safe in the arena, and not this
 *  account's code. What is kept beside it is only here: it waits until its account is back. True: the draft or what is beside
 *  it has changed. */
export function takeOver(game: string, language: string, account: number): boolean {
  const base = readBase(game, language)
  const isAnothers = base !== null && base.account !== account && fingerprint(readDraft(game, language)) === base.print
  if (isAnothers) {
    writeDraft(game, language, null)
    setAside(game, language, base.account)
    writeBase(game, language, { account, revision: 0, print: '' })
  }
  return bringBack(game, language, account) || isAnothers
}
const asideKey = (game: string, language: string, account: number): string => key(game, language, 'aside', String(account))
const readBeside = (game: string, language: string): string[] => {
  const other = readOther(game, language)
  return other === null ? [] : [other, ...readOthers(game, language)]
}

/** Where there is no room for that, it stays: it must not be lost. */
function setAside(game: string, language: string, account: number): void {
  const [beside, before] = [readBeside(game, language), readList(asideKey(game, language, account))]
  if (beside.length === 0) return
  writeBeside(game, language, null, [])
  if (writeList(asideKey(game, language, account), [...beside, ...before])) return
  writeList(asideKey(game, language, account), before)
  writeBeside(game, language, beside[0]!, beside.slice(1))
}
/** Behind what is there. False: there is nothing, or no room. */
function bringBack(game: string, language: string, account: number): boolean {
  const [beside, aside] = [readBeside(game, language), readList(asideKey(game, language, account))]
  if (aside.length === 0) return false
  const [other = null, ...others] = new Set([...beside, ...aside])
  writeList(asideKey(game, language, account), [])
  if (writeBeside(game, language, other, others)) return true
  writeBeside(game, language, beside[0] ?? null, beside.slice(1))
  writeList(asideKey(game, language, account), aside)
  return false
}

/** Once an account is deleted, the arena has no copy: what is here is the only code. */
export function forgetBases(): void {
  for (const name of keptNames()) if (name.startsWith(`${PREFIX}.`) && name.endsWith('.base')) keep(name, null)
}

/** Differs for different code, but for one case in four thousand million. */
export function fingerprint(source: string | null): string {
  if (source === null) return ''
  let hash = 0x811c9dc5
  for (let at = 0; at < source.length; at++) hash = Math.imul(hash ^ source.charCodeAt(at), 0x01000193)
  return `${source.length}:${hash >>> 0}`
}

/** The bot name of the last submission. */
export const readBotName = (game: string): string | null => readKept(key(game, 'bot-name'))
export const writeBotName = (game: string, name: string): boolean => keep(key(game, 'bot-name'), name)
