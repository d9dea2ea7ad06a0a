/* How one bot did against each other one, from its results by opponent and seat. Pure. */
import { whole } from './format'
import type { OpponentResult } from './types'

export interface Score {
  won: number
  drawn: number
  lost: number
}

/** Fewer games than this say little: they are shown pale. */
export const FEW_GAMES = 3

export const games = ({ won, drawn, lost }: Score): number => won + drawn + lost

/** The share of the points. Needs games. */
export const share = (score: Score): number => (score.won + score.drawn / 2) / games(score)

/** All seats of an opponent together: its id -> the score against it. */
export function byOpponent(results: OpponentResult[]): Map<number, Score> {
  const found = new Map<number, Score>()
  for (const one of results) {
    const { won, drawn, lost } = found.get(one.opponent_id) ?? { won: 0, drawn: 0, lost: 0 }
    found.set(one.opponent_id, { won: won + one.won, drawn: drawn + one.drawn, lost: lost + one.lost })
  }
  return found
}

/** "5 won, 1 drawn, 2 lost". */
export const scoreText = (score: Score): string =>
  `${whole(score.won)} won, ${whole(score.drawn)} drawn, ${whole(score.lost)} lost`

/** The colour of a score: towards good or bad, the stronger the clearer; pale where few games were played. */
export function tint(score: Score | undefined, few: number = FEW_GAMES): string | null {
  if (!score || games(score) === 0) return null
  const far = 2 * share(score) - 1
  const most = games(score) < few ? 8 : 34
  return far === 0 ? null : `color-mix(in oklab, var(--${far > 0 ? 'good' : 'bad'}) ${Math.round(Math.abs(far) * most)}%, var(--raise))`
}
