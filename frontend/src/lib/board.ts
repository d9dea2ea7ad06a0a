/* A leaderboard that changes under our eyes. Pure. */
import { moreGames, sure } from './format'
import type { Standing } from './types'

const STEP = 50

/** Higher leagues first, by rating in each: negative when `a` is above `b`. */
export function inOrder(a: Standing, b: Standing): number {
  return b.league_position - a.league_position || b.rating - a.rating || b.submission_id - a.submission_id
}

/** How sure a row's place is, in a sentence. */
export function sureOf(row: Standing): string {
  if (row.placing) return row.games_left ? `Placing: ${moreGames(row.games_left)}` : 'Placing'
  if (row.above_next === null) return ''
  const above = `${sure(row.above_next)} sure that it is stronger than the next`
  return row.games_left ? `${above}; ${moreGames(row.games_left)} would tell them apart` : above
}

/** The rows with those that changed put in, best first, ranks counted anew from the first row's. */
export function merge(rows: Standing[], changed: Standing[]): Standing[] {
  const first = rows[0]?.rank ?? 1
  const fresh = new Map(changed.map((row) => [row.bot_id, row]))
  const kept = rows.filter((row) => !fresh.has(row.bot_id))
  const all = [...kept, ...changed].sort(inOrder)
  return all.map((row, i) => ({ ...row, rank: first + i }))
}

/** From where to where the rating bars go: all intervals, widened to round figures so that it rarely moves. */
export function scale(rows: Standing[]): { from: number; to: number } {
  if (rows.length === 0) return { from: 0, to: 1 }
  const from = Math.min(...rows.map((row) => row.low))
  const to = Math.max(...rows.map((row) => row.high))
  return { from: Math.floor(from / STEP) * STEP - STEP, to: Math.ceil(to / STEP) * STEP + STEP }
}
