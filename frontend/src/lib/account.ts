/* Words of the account's pages, and which field of a form an error is about. Pure. */
import { ApiError, errorMessage } from './client'
import { dateTime } from './format'
import type { Me, Token } from './types'

export type Scope = Token['scopes'][number]

/** What each scope of a token allows. */
export const SCOPES: { id: Scope; may: string }[] = [
  { id: 'read', may: 'Read your code, logs and everything you can download.' },
  { id: 'play', may: 'Run practice matches and duels.' },
  { id: 'submit', may: 'Submit versions; restore and delete them.' },
  { id: 'organise', may: 'Organise what you organise: the arena, or the events and classes that you were named for.' },
]

/** What was used of what may be, in words and as a share from 0 to 1; null where nothing limits it. */
export interface Used {
  what: string
  shown: string
  share: number | null
  more: string
}
const MEGABYTE = 1_000_000

export function used(usage: NonNullable<Me['usage']>): Used[] {
  const { cpu_s: cpu, cpu_budget_s: budget, bytes, bytes_quota: quota } = usage
  return [
    {
      what: 'CPU time of matches in the last 24 hours',
      shown: budget === null ? duration(cpu) : `${duration(cpu)} of ${duration(budget)}`,
      share: budget === null ? null : Math.min(1, cpu / budget),
      more: usage.cpu_again_at === null ? '' : `Used up. There is more from ${dateTime(usage.cpu_again_at)}.`,
    },
    {
      what: 'Stored code',
      shown: quota === null ? megabytes(bytes) : `${megabytes(bytes)} of ${megabytes(quota)}`,
      share: quota === null ? null : Math.min(1, bytes / quota),
      more: quota !== null && bytes >= 0.9 * quota ? 'Delete versions’ code, or bots, to free room.' : '',
    },
  ]
}
const megabytes = (bytes: number): string => `${(bytes / MEGABYTE).toLocaleString('en', { maximumFractionDigits: bytes < MEGABYTE ? 2 : 0 })} MB`
/** Seconds, minutes or hours. */
function duration(seconds: number): string {
  const [unit, name] = seconds < 120 ? [1, 's'] : seconds < 7200 ? [60, 'min'] : [3600, 'h']
  return `${(seconds / unit).toLocaleString('en', { maximumFractionDigits: unit === 1 ? 0 : 1 })} ${name}`
}

/** Why signing in with a provider did not work: `/account?problem=…`. */
const PROBLEMS: Record<string, string> = {
  unreachable: 'The provider does not answer. Try again in a moment, or sign in with a password.',
  denied: 'You did not allow the provider to identify you here. Nothing has changed.',
  failed: 'The provider could not sign you in. Start again from here.',
  invite: 'New accounts need an invitation here. Enter its code under “Sign up”, then choose the provider again.',
  banned: 'This account is banned here. The organisers know why.',
  taken: 'This identity belongs to another account here. Sign in with it, or choose another identity.',
}
export const providerProblem = (problem: string | null): string =>
  problem === null ? '' : (PROBLEMS[problem] ?? 'Signing in did not work. Try again.')

/** Beginnings of the arena's messages, and the fields they are about, the first that a form has. */
const ABOUT: [RegExp, string[]][] = [
  [/^(This name|To delete the account|A token needs a name|You have a token)/, ['name']],
  [/^The old password/, ['old']],
  [/^(This password|The password|Name or password)/, ['password', 'new']],
  [/^This is not an email address/, ['email']],
  [/^This webhook cannot be used/, ['url']],
  [/^The deadline is over/, ['deadline']],
  [/^(This invitation|This arena is not open)/, ['invite']],
]

/** The field that an error is about -> what to show beside it; '' for the form as a whole. */
export function problemsByField(error: unknown, fields: readonly string[]): Record<string, string> {
  if (!(error instanceof ApiError)) return { '': errorMessage(error) }
  const { detail = '', expected, errors } = error.problem
  const named = (errors ?? []).map((one) => [one.where.split('.').at(-1)!, `${one.message}.`] as const)
  if (named.length > 0 && named.every(([field]) => fields.includes(field))) return Object.fromEntries(named)
  const about = ABOUT.find(([words]) => words.test(detail))?.[1].find((field) => fields.includes(field))
  if (about === undefined) return { '': error.message }
  const explained = expected && error.status !== 401 && expected !== 'another name'
  return { [about]: explained ? `${detail} Expected: ${expected}.` : detail }
}

const BROWSERS: [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Headless)?(Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/.*Safari\//, 'Safari'],
]
const SYSTEMS: [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** A User-Agent in words: “Firefox on Linux”. */
export function browserName(agent: string): string {
  const found = (table: [RegExp, string][]): string => table.find(([words]) => words.test(agent))?.[1] ?? ''
  const [browser, system] = [found(BROWSERS), found(SYSTEMS)]
  if (browser || system) return [browser || 'A browser', system].filter(Boolean).join(' on ')
  return /^[\w-]+(?=\/)/.exec(agent)?.[0] ?? 'Unknown browser'
}

/** A line for a terminal that uses the token for the most that it may do. */
export function curlLine(origin: string, token: string, scopes: readonly Scope[]): string {
  const curl = `curl -H "Authorization: Bearer ${token}"`
  if (scopes.includes('submit')) return `${curl} -F file=@bot.py -F game=yavalath -F bot=my-bot ${origin}/api/v1/submissions/file`
  if (scopes.includes('play'))
    return `${curl} -H "Content-Type: application/json" -d @match.json ${origin}/api/v1/matches`
  if (scopes.includes('organise')) return `${curl} ${origin}/api/v1/events`
  return `${curl} ${origin}/api/v1/me/export -o hexarena.zip`
}
