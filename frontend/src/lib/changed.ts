/* What changed in the results from one version to another. Pure. */
import type { OpponentResult } from './types'
import { byOpponent, games, share, type Score } from './versus'

export interface ChangedRow {
  id: number
  name: string
  before: Score | null
  after: Score | null
  /** By how much the share of the points changed; null where one of the two never met the opponent. */
  change: number | null
}

/** By opponent, what became worse first; those that only one version met last. */
export function changedResults(before: OpponentResult[], after: OpponentResult[]): ChangedRow[] {
  const names = new Map([...before, ...after].map((one) => [one.opponent_id, one.opponent]))
  const [then, now] = [byOpponent(before), byOpponent(after)]
  const met = (score: Score | undefined): Score | null => (score && games(score) ? score : null)
  const rows = [...names].map(([id, name]) => {
    const [old, fresh] = [met(then.get(id)), met(now.get(id))]
    return { id, name, before: old, after: fresh, change: old && fresh ? share(fresh) - share(old) : null }
  })
  return rows.filter((row) => row.before || row.after).sort((a, b) => (a.change ?? 2) - (b.change ?? 2) || a.name.localeCompare(b.name))
}

/** All results together. */
export const total = (results: OpponentResult[]): Score =>
  results.reduce((sum, one) => ({ won: sum.won + one.won, drawn: sum.drawn + one.drawn, lost: sum.lost + one.lost }), { won: 0, drawn: 0, lost: 0 })
