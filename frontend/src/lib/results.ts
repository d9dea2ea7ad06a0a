/* How a match went, in a word. Pure. */
import type { Match, MatchSeat } from './types'

export type Verdict = 'Won' | 'Lost' | 'Draw'

/** The seat from which a list looks at a match: that of the bot, or one of the user's own; null for neither. */
export function seenFrom(match: Match, bot: number | null): MatchSeat | null {
  if (bot !== null) return match.seats.find((seat) => seat.bot_id === bot) ?? null
  const mine = match.seats.filter((seat) => seat.mine)
  return mine.length === 1 ? mine[0]! : null
}

export function verdict(match: Match, seat: MatchSeat): Verdict | null {
  if (match.state !== 'done' || seat.rank === null) return null
  if (match.seats.every((other) => other.rank === seat.rank)) return 'Draw'
  return seat.rank === 0 ? 'Won' : 'Lost'
}

/** The rules speak of seats; people know bots. */
export function withNames(text: string, bots: string[]): string {
  return text.replace(/\bseat (\d+)\b/gi, (seat, number: string) => bots[Number(number)] ?? seat)
}

/** Why it ended as it did. */
export const reasonWords = (match: Match): string =>
  withNames(
    match.reason ?? '',
    match.seats.map((seat) => seat.bot),
  )

export function stateWords(match: Match): string {
  if (match.state === 'queued') return match.queue_place ? `Waiting, place ${match.queue_place}` : 'Waiting'
  if (match.state === 'running') return 'Playing now'
  if (match.state === 'void') return `Does not count: ${match.void_reason ?? 'our fault'}`
  return reasonWords(match)
}

/** The faults that cost a match, each with its bot. */
export function faultWords(match: Match): string {
  return match.seats.flatMap((seat) => (seat.fault ? [`${seat.bot}: ${seat.fault}`] : [])).join(', ')
}
