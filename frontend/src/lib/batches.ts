/* What a batch's table says. Pure. */
import { plural, signed } from './format'
import type { BatchMatch, BatchScore } from './types'

/** A seed is played once in each seat. */
export const SEATS = 2
export const SEEDS = [1, 2, 3, 5, 10, 20, 50]

export const played = ({ wins, draws, losses }: BatchScore): number => wins + draws + losses

/** The share of points, 0 to 1; null before the first match is over. */
export function shareOf(score: BatchScore): number | null {
  const games = played(score)
  return games ? (score.wins + score.draws / 2) / games : null
}

/** "+35 (−20 to +90)": the difference in strength and its 95 % interval. Where all was won or lost, its one end. */
export function eloText({ elo, elo_low, elo_high, different }: BatchScore): string {
  if (different === 0) return ''
  if (elo !== null) return `${signed(elo)} (${elo_low === null ? '−∞' : signed(elo_low)} to ${elo_high === null ? '+∞' : signed(elo_high)})`
  if (elo_low !== null) return `above ${signed(elo_low)}`
  return elo_high === null ? '' : `below ${signed(elo_high)}`
}

const STATES: Record<string, string> = { queued: 'waiting', running: 'playing', void: 'void' }

/** In a word how a match ended for the author. */
export function wordOf({ state, points }: Pick<BatchMatch, 'state' | 'points'>): string {
  if (points === null) return STATES[state] ?? state
  return points === 1 ? 'won' : points === 0 ? 'lost' : 'draw'
}

const PLACES = ['as first', 'as second']

/** What a cell says when asked: "Lost as second with seed 17, turn 40, crash". */
export function aboutMatch(match: BatchMatch): string {
  const word = wordOf(match)
  const parts = [`${word[0]!.toUpperCase()}${word.slice(1)} ${PLACES[match.seat] ?? `in seat ${match.seat}`} with seed ${match.seed}`]
  if (match.turns !== null) parts.push(plural(match.turns, 'turn'))
  if (match.fault) parts.push(match.fault)
  if (match.repeat) parts.push('the same game as before')
  if (match.void_reason) parts.push(match.void_reason)
  return parts.join(', ')
}

/** The largest of the usual numbers of seeds with which a batch against so many bots is allowed, at most `wanted`. */
export function seedsFor(bots: number, most: number, wanted: number): number {
  return SEEDS.findLast((seeds) => seeds <= wanted && SEATS * bots * seeds <= most) ?? 1
}
