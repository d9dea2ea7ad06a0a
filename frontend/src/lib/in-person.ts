/* Playing in person: the address of a match to come, and what the page says about one. Pure. */
import { ownSeat } from './ending'
import { reasonText, stateText, verdict } from './results'
import type { InPerson, Match, NewInPerson } from './types'

/** What somebody chooses before a match, as the form holds it; empty means the default. */
export interface Choice {
  opponent: string
  seat: number
  level: string
}

export const choiceIn = (params: URLSearchParams): Choice => ({
  opponent: /^\d{1,15}$/.test(params.get('opponent') ?? '') ? params.get('opponent')! : '',
  seat: params.get('seat') === '1' ? 1 : 0,
  level: /^\d{1,2}$/.test(params.get('level') ?? '') ? params.get('level')! : '',
})

export function newMatchOf(game: string, { opponent, seat, level }: Choice): NewInPerson {
  return { game, seat, ...(opponent ? { opponent: Number(opponent) } : {}), ...(level ? { league: Number(level) } : {}) }
}

/** The page on which somebody plays this game, or continues a match. */
export function inPersonAddress(game: string, choice: Record<string, string | number | null> = {}): string {
  const given = Object.entries(choice).filter(([, value]) => value !== null && value !== '')
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return `/in-person/${game}${search && `?${search}`}`
}

/** Whether an address chose a bot that none of these lists has: one from further down the ladder. */
export const isUnlisted = (chosen: string, ...lists: { bot_id: number | null }[][]): boolean =>
  chosen !== '' && !lists.flat().some((one) => String(one.bot_id) === chosen)

/** The match that an address continues. */
export function matchIn(params: URLSearchParams): number | null {
  const match = params.get('match') ?? ''
  return /^[1-9]\d{0,14}$/.test(match) ? Number(match) : null
}

/** The choice that played this match. */
export const choiceOf = (match: Match, swapped = false): Choice => {
  const own = ownSeat(match)
  const other = match.seats.find(({ seat }) => seat !== own?.seat)
  const seat = own?.seat === 1 ? 1 : 0
  return { opponent: other?.bot_id ? String(other.bot_id) : '', seat: swapped ? 1 - seat : seat, level: String(match.league) }
}

const WORDS: Record<string, string> = { Won: 'You won', Lost: 'You lost', Draw: 'A draw' }

/** How the match ended for the person: "You won: Pebble made a line of 3 and loses". */
export function endText(match: Match): string {
  if (match.state === 'void') return match.void_reason ?? 'This match does not count.'
  const own = ownSeat(match)
  const result = own && verdict(match, own)
  const how = result ? (WORDS[result.text] ?? `You came ${result.text}`) : 'It is over'
  const reason = reasonText(match)
  return reason ? `${how}: ${reason}.` : `${how}.`
}

/** What the page says while the person cannot move. `shown`: the board has come as far as the match. */
export function statusText(match: Match, row: InPerson | null, shown: boolean): string {
  if (shown && (match.state === 'done' || match.state === 'void')) return endText(match)
  if (row?.resigned) return 'Resigning…'
  if (match.state === 'queued') return `${stateText(match)}.`
  return `${match.seats.find((seat) => !seat.mine)?.bot ?? 'The bot'} is thinking…`
}

/** "The match waits for you until 16:05." */
export function patience(row: InPerson | null, now: Date): string {
  if (!row?.until) return ''
  const minutes = Math.max(1, Math.round((new Date(row.until).getTime() - now.getTime()) / 60_000))
  return `No clock runs. The match waits ${minutes > 90 ? `${Math.round(minutes / 60)} hours` : `${minutes} min`} for you.`
}
