/* Texts for the state and result of a match. Pure. */
import { inWords, ordinal } from './format'
import type { Match, MatchSeat } from './types'

/** How a match ended for one side: "Won", or among more than two "2nd of 4". */
export interface Verdict {
  text: string
  tone: 'good' | 'bad' | 'even'
}

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

/** The seat whose result a list shows: the bot's, or the user's own if there is exactly one; else null. */
export function perspectiveSeat(match: Match, bot: number | null): MatchSeat | null {
  if (bot !== null) return match.seats.find((seat) => seat.bot_id === bot) ?? null
  const mine = entrants(match).filter((one) => one.mine)
  return mine.length === 1 ? mine[0]! : null
}

/** Whom a seat's team met: "A", "A, B and C". Empty where nobody else played. */
export const rivals = (match: Match, own: MatchSeat | null): string =>
  inWords([...new Set(match.seats.filter((seat) => seat.team !== own?.team).map((seat) => seat.bot))])

export function verdict(match: Match, seat: MatchSeat): Verdict | null {
  if (match.state !== 'done' || seat.rank === null) return null
  const ranks = [...new Map(match.seats.map((one) => [one.team, one.rank ?? 0])).values()]
  const better = ranks.filter((rank) => rank < seat.rank!).length
  const same = ranks.filter((rank) => rank === seat.rank).length
  if (same === ranks.length) return { text: 'Draw', tone: 'even' }
  if (ranks.length === 2) return better ? { text: 'Lost', tone: 'bad' } : { text: 'Won', tone: 'good' }
  const tone = !better ? 'good' : better + same === ranks.length ? 'bad' : 'even'
  return { text: `${same > 1 ? 'Tied ' : ''}${ordinal(better + 1)} of ${ranks.length}`, tone }
}

/** Replaces "seat 1" or "$1", as rules write it, by the bot's name, and "team 1" by its team's: all at once, since a bot may be called "Team 1". */
export function withNames(text: string, bots: string[], teams: string[] = []): string {
  return text.replace(
    /(?:\bseat |\$)(\d+)\b|\bteam (\d+)\b/gi,
    (words, seat?: string, team?: string) => (seat === undefined ? teams[Number(team)] : bots[Number(seat)]) ?? words,
  )
}

/** Why the match ended, with bots named. */
export function reasonText(match: Match): string {
  const teams: string[][] = []
  for (const one of entrants(match)) (teams[one.team] ??= []).push(one.bot)
  const bots = match.seats.map((seat) => seat.bot)
  return withNames(match.reason ?? '', bots, teams.length < bots.length ? teams.map(inWords) : [])
}

/** "3rd in the queue, about 20 s". */
function queueText(match: Match): string {
  if (!match.queue_place) return 'Queued'
  const place = `${ordinal(match.queue_place)} in the queue`
  const wait = match.expected_wait_s
  if (wait === null || wait === undefined) return place
  return `${place}, ${wait === 0 ? 'starts now' : wait < 120 ? `about ${wait} s` : `about ${Math.round(wait / 60)} min`}`
}

export function stateText(match: Match): string {
  if (match.state === 'queued') return queueText(match)
  if (match.state === 'running') return 'Playing now'
  if (match.state === 'void') return `Void: ${match.void_reason ?? 'internal error'}`
  return reasonText(match)
}

/** Why the last attempt was void, while another one is queued or running; else empty. */
export function retryText(match: Match): string {
  const last = match.void_attempts.at(-1)
  if (!last || match.state === 'done' || match.state === 'void') return ''
  const now = match.state === 'running' ? 'A new attempt is running.' : 'A new attempt starts shortly.'
  return `Attempt ${last.attempt} was void. ${last.reason} ${now}`
}

/** The faults that cost a match, each with its bot. */
export function faultText(match: Match): string {
  return entrants(match)
    .flatMap((one) => (one.fault ? [`${one.bot}: ${one.fault}`] : []))
    .join(', ')
}
