/* A bot's results as a map of opponents and seats, and its matches folded. Pure. */
import type { Match, OpponentResult } from './types'
import { games, share, type Score } from './versus'

/** With fewer games a cell is grey: its share is chance. */
export const FEW_IN_A_CELL = 10

export interface OpponentRow {
  id: number
  name: string
  all: Score
  repeats: number
  /** By seat, in the order of the map's seats; undefined where they never met so. */
  cells: (OpponentResult | undefined)[]
}

export interface OpponentMap {
  seats: number[]
  rows: OpponentRow[]
}

/** The map; whom it scored least against comes first, those with few games last. */
export function mapOf(results: OpponentResult[]): OpponentMap {
  const seats = [...new Set(results.map((one) => one.seat))].sort((a, b) => a - b)
  const rows = new Map<number, OpponentRow>()
  for (const one of results) {
    const row = rows.get(one.opponent_id) ?? { id: one.opponent_id, name: one.opponent, all: { won: 0, drawn: 0, lost: 0 }, repeats: 0, cells: seats.map(() => undefined) }
    row.all = { won: row.all.won + one.won, drawn: row.all.drawn + one.drawn, lost: row.all.lost + one.lost }
    row.repeats += one.repeats
    row.cells[seats.indexOf(one.seat)] = one
    rows.set(one.opponent_id, row)
  }
  return { seats, rows: [...rows.values()].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name)) }
}

const rank = ({ all }: OpponentRow): number => (games(all) === 0 ? 3 : games(all) < FEW_IN_A_CELL ? 1 + share(all) : share(all))

/** A match with those that were equal to it, reply by reply. */
export interface Fold {
  match: Match
  repeats: Match[]
}

/** Matches with repeats that follow each other in one group: the newest of them represents it. */
export function foldsOf(matches: Match[]): Fold[] {
  const folds: Fold[] = []
  for (const match of matches) {
    const last = folds.at(-1)
    if (last?.match.repeat && match.repeat) last.repeats.push(match)
    else folds.push({ match, repeats: [] })
  }
  return folds
}
