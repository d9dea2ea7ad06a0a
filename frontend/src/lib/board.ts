/* A leaderboard that changes under our eyes. Pure. */
import type { Standing } from './types'

const STEP = 50

/** The rows with those that changed put in, best first, ranks counted anew from the first row's. */
export function merge(rows: Standing[], changed: Standing[]): Standing[] {
  const first = rows[0]?.rank ?? 1
  const fresh = new Map(changed.map((row) => [row.bot_id, row]))
  const kept = rows.filter((row) => !fresh.has(row.bot_id))
  const all = [...kept, ...changed].sort((a, b) => b.rating - a.rating || a.bot_id - b.bot_id)
  return all.map((row, i) => ({ ...row, rank: first + i }))
}

/** From where to where the rating bars go: all intervals, widened to round figures so that it rarely moves. */
export function scale(rows: Standing[]): { from: number; to: number } {
  if (rows.length === 0) return { from: 0, to: 1 }
  const from = Math.min(...rows.map((row) => row.low))
  const to = Math.max(...rows.map((row) => row.high))
  return { from: Math.floor(from / STEP) * STEP - STEP, to: Math.ceil(to / STEP) * STEP + STEP }
}
