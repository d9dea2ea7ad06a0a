/* Order, live changes and scale of a leaderboard. Pure. */
import { moreGames, ordinal, probability, whole } from './format'
import type { PastStanding, Standing } from './types'

const STEP = 50

/** A row of today's board, or of an earlier one. */
export type AnyRow = Standing | PastStanding

export const isPresent = (row: AnyRow): row is Standing => 'placing' in row

/** Higher leagues first, by rating in each: negative when `a` is above `b`. */
export function compareStandings(a: Standing, b: Standing): number {
  return b.league_position - a.league_position || b.rating - a.rating || b.submission_id - a.submission_id
}

/** How certain a row's rank is, as a text. */
export function rankConfidence(row: Standing): string {
  if (row.placing) return row.games_left ? `Placing: ${moreGames(row.games_left)}` : 'Placing'
  if (row.above_next === null) return ''
  const above = `${probability(row.above_next)} probability of being stronger than the next bot`
  return row.games_left ? `${above}; ${moreGames(row.games_left)} to separate them` : above
}

/** The rows with the changed ones merged in, best first, re-ranked: rows of the same competitor share a rank. */
export function mergeStandings(rows: Standing[], changed: Standing[]): Standing[] {
  // The ranks that begin here are consecutive; of a league's rows, some may share one that begins in a higher league.
  const ranks = new Set(rows.map((row) => row.rank))
  let first = Math.max(1, ...ranks)
  while (ranks.has(first - 1)) first--
  const fresh = new Map(changed.map((row) => [row.bot_id, row]))
  const kept = rows.filter((row) => !fresh.has(row.bot_id))
  const all = [...kept, ...changed].sort(compareStandings)
  const above = new Set(rows.filter((row) => row.rank < first).map((row) => row.competitor_id))
  const places = new Map<number, number>()
  return all.map((row) => {
    if (above.has(row.competitor_id)) return row
    if (!places.has(row.competitor_id)) places.set(row.competitor_id, first + places.size)
    return { ...row, rank: places.get(row.competitor_id)! }
  })
}

/** The rows with a further page below them. A refit between the two requests may have moved a row onto it.
 *  `changed`: what changed since the page was asked for, by bot: of these, the rows that are here are newer. */
export function appendStandings(rows: Standing[], next: Standing[], changed: ReadonlyMap<number, Standing> = new Map()): Standing[] {
  const newer = new Set(rows.filter((row) => changed.has(row.bot_id)).map((row) => row.bot_id))
  const below = next.filter((row) => !newer.has(row.bot_id))
  const again = new Set(below.map((row) => row.bot_id))
  return [...rows.filter((row) => !again.has(row.bot_id)), ...below]
}

/** A board with the changed rows. `next`: where the rows below begin that are not shown; null if all are. */
export function changeBoard<B extends { items: Standing[]; next?: string | null }>(board: B, changed: Standing[]): B {
  if (changed.length === 0) return board
  // Rows below the last one that is shown would appear out of order.
  const lowest = board.next ? board.items.at(-1) : undefined
  const known = new Set(board.items.map((row) => row.bot_id))
  const visible = changed.filter((row) => known.has(row.bot_id) || !lowest || compareStandings(row, lowest) < 0)
  return { ...board, items: mergeStandings(board.items, visible) }
}

/** The range of the rating bars: covers all intervals, in round figures so that it rarely changes. */
export function ratingScale(rows: AnyRow[]): { from: number; to: number } {
  if (rows.length === 0) return { from: 0, to: 1 }
  const from = Math.min(...rows.map((row) => row.low))
  const to = Math.max(...rows.map((row) => row.high))
  return { from: Math.floor(from / STEP) * STEP - STEP, to: Math.ceil(to / STEP) * STEP + STEP }
}

/** "1st 94, 2nd 17, 3rd 11": how many matches ended in each place. */
export const placesText = (places: number[]): string => places.map((matches, index) => `${ordinal(index + 1)} ${whole(matches)}`).join(', ')

/** The places of a row, or its results where two meet. */
export const resultsText = (row: AnyRow): string =>
  isPresent(row) && row.places.length ? placesText(row.places) : `${whole(row.wins)} won, ${whole(row.draws)} drawn, ${whole(row.losses)} lost`

/** What a place is worth, in words, and what each of them means. The command line has the same (`cli/ladder.py`). */
export function standingTags(row: Standing): { text: string; title: string }[] {
  const tags: [boolean, string, string][] = [
    [row.guest, 'guest: does not count for others', 'Its games rate this bot, but no other: nobody with an account has submitted this code'],
    [row.shared_with > 0, `shared with ${whole(row.shared_with)}`, 'The same code, so the same games, the same rating and the same rank'],
    [row.all_repeat, 'all games repeat', 'Whoever it meets, the match is equal to an earlier one: more games would show nothing new'],
    [row.provisional, 'provisional', 'Its place is not certain yet, or it came to the ladder fewer than 20 games ago'],
    [row.on_trial && !row.provisional && !row.house, 'on trial', 'Playing its league’s boss for promotion'],
  ]
  return tags.filter(([applies]) => applies).map(([, text, title]) => ({ text, title }))
}
