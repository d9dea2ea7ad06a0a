/* Formats figures and times for people. */

const LANGUAGES: Record<string, string> = {
  python: 'Python',
  c: 'C',
  cpp: 'C++',
  javascript: 'JavaScript',
  typescript: 'TypeScript',
  java: 'Java',
  rust: 'Rust',
  go: 'Go',
  csharp: 'C#',
  ruby: 'Ruby',
  php: 'PHP',
  kotlin: 'Kotlin',
  lua: 'Lua',
  perl: 'Perl',
  bash: 'Bash',
  haskell: 'Haskell',
  ocaml: 'OCaml',
  d: 'D',
  pascal: 'Pascal',
}
const MINUTE_S = 60
const HOUR_S = 3600
const DAY_S = 86400
const MOST_GAMES_SHOWN = 10_000

export const whole = (value: number): string => Math.round(value).toLocaleString('en')

/** With a sign: a real minus, or a plus. */
export const signed = (value: number): string => {
  const rounded = Math.round(value)
  return rounded > 0 ? `+${rounded}` : rounded < 0 ? `−${-rounded}` : '±0'
}

export const languageName = (id: string): string => LANGUAGES[id] ?? id

/** "3rd". */
export function ordinal(number: number): string {
  const ending = { one: 'st', two: 'nd', few: 'rd' }[new Intl.PluralRules('en', { type: 'ordinal' }).select(number) as string]
  return `${number}${ending ?? 'th'}`
}

/** "A", "A and B", "A, B and C". */
export const inWords = (names: string[]): string => new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(names)

/** "3 games". */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${whole(count)} ${count === 1 ? one : many}`

/** A probability as a percentage; never 0 % or 100 %. */
export const probability = (share: number): string =>
  share > 0.995 ? '>99 %' : share < 0.005 ? '<1 %' : `${Math.round(share * 100)} %`

/** How many more games, as far as the estimate goes. */
export const moreGames = (count: number): string =>
  count >= MOST_GAMES_SHOWN ? `more than ${whole(MOST_GAMES_SHOWN)} more games` : `about ${plural(count, 'more game')}`

/** How long ago that was at `now`, in one word or two. */
export function agoAt(time: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000)
  if (seconds < MINUTE_S) return 'just now'
  if (seconds < HOUR_S) return `${Math.floor(seconds / MINUTE_S)} min ago`
  if (seconds < DAY_S) return `${Math.floor(seconds / HOUR_S)} h ago`
  if (seconds < 2 * DAY_S) return 'yesterday'
  return `${Math.floor(seconds / DAY_S)} days ago`
}

/** Hours and minutes of a time in milliseconds. */
export const clock = (time: number): string =>
  new Date(time).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })

export const dateTime = (time: string): string =>
  new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
