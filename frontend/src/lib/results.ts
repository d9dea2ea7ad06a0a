/* How a match went, in a word. Pure. */
import type { Match, MatchSeat } from './types'

export type Verdict = 'Won' | 'Lost' | 'Draw'

/** Who takes part: a submission with the first of its seats, and how many it fills. */
export type Entrant = MatchSeat & { count: number }

/** A match's entrants in the order of their teams. A submission that fills several seats of a team is one entrant, with the best score of these seats. */
export function entrants(match: Match): Entrant[] {
  const found = new Map<string, Entrant>()
  for (const seat of match.seats) {
    const key = `${seat.team}/${seat.submission_id}`
    const known = found.get(key)
    if (!known) found.set(key, { ...seat, count: 1 })
    else {
      known.count++
      known.fault ??= seat.fault
      if (seat.score !== null) known.score = Math.max(seat.score, known.score ?? seat.score)
    }
  }
  return [...found.values()]
}

/** A bot's name, with how many seats it fills where that is more than one. */
export const entrantName = (entrant: Entrant): string =>
  entrant.count > 1 ? `${entrant.bot} ×${entrant.count}` : entrant.bot

/** Teams against each other: "A, B against C ×4". */
export function headline(match: Match): string {
  const teams: string[][] = []
  for (const one of entrants(match)) (teams[one.team] ??= []).push(entrantName(one))
  return teams.map((team) => team.join(', ')).join(' against ')
}

/** The seat from which a list looks at a match: that of the bot, or one of the user's own; null for neither. */
export function seenFrom(match: Match, bot: number | null): MatchSeat | null {
  if (bot !== null) return match.seats.find((seat) => seat.bot_id === bot) ?? null
  const mine = entrants(match).filter((one) => one.mine)
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
export function reasonWords(match: Match): string {
  const named = withNames(
    match.reason ?? '',
    match.seats.map((seat) => seat.bot),
  )
  return named.replace(/\bteam (\d+)\b/gi, (team, number: string) => {
    const members = entrants(match).filter((one) => one.team === Number(number))
    return members.map((one) => one.bot).join(' and ') || team
  })
}

export function stateWords(match: Match): string {
  if (match.state === 'queued') return match.queue_place ? `Waiting, place ${match.queue_place}` : 'Waiting'
  if (match.state === 'running') return 'Playing now'
  if (match.state === 'void') return `Does not count: ${match.void_reason ?? 'our fault'}`
  return reasonWords(match)
}

/** Of a match that is played again: why its last attempt does not count. Else nothing. */
export function againWords(match: Match): string {
  const last = match.void_attempts.at(-1)
  if (!last || match.state === 'done' || match.state === 'void') return ''
  const now = match.state === 'running' ? 'It is being played again.' : 'It is played again in a moment.'
  return `Attempt ${last.attempt} does not count. ${last.reason} ${now}`
}

/** The faults that cost a match, each with its bot. */
export function faultWords(match: Match): string {
  return entrants(match)
    .flatMap((one) => (one.fault ? [`${one.bot}: ${one.fault}`] : []))
    .join(', ')
}
