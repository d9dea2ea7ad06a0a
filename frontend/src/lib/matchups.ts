/* The words and figures of the match-up matrix. Pure. */
import type { Matchup, MatchupBot, Matchups } from './types'

const CLEAR = 2
const SOME = 1

/** A share as a percentage. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`

/** The same, with 100 % for all of it alone, and 0 % for nothing. */
export const strictPercent = (share: number): string => percent(share === 0 || share === 1 ? share : Math.min(Math.max(share, 0.01), 0.99))

/** How far the points are from what is expected, in standard deviations. 0 where nothing is known. */
export function surprise(pair: Matchup): number {
  if (!pair.games) return 0
  const share = pair.expected / pair.games
  const deviation = Math.sqrt(pair.games * share * (1 - share))
  return deviation > 0 ? (pair.points - pair.expected) / deviation : 0
}

/** The same as a verdict: from -2, far fewer points than expected, to 2, far more. */
export function verdict(pair: Matchup): number {
  const far = surprise(pair)
  const size = Math.abs(far) >= CLEAR ? 2 : Math.abs(far) >= SOME ? 1 : 0
  return size && Math.sign(far) * size
}

/** Why no more games of two bots are asked for. */
export const ONLY_REPEATS = 'More games of these two would only repeat earlier ones, whoever begins'

/** What a cell says to those who do not see the table, and in its tooltip. */
export function sentence(one: string, other: string, pair: Matchup): string {
  if (!pair.games) return `${one} against ${other}: no games, ${percent(pair.next_game)} of the points expected`
  const points = `${pair.points} of ${pair.games} points, ${pair.expected.toFixed(1)} expected`
  return `${one} against ${other}: ${points}${pair.repeats ? `. ${ONLY_REPEATS}` : ''}`
}

/** The rows of the matrix: each bot with its pairs in the order of the columns; undefined against itself. */
export function matrixRows(found: Matchups): { bot: MatchupBot; cells: (Matchup | undefined)[] }[] {
  const key = (one: number, other: number): string => `${one} ${other}`
  const pairs = new Map(found.pairs.map((pair) => [key(pair.submission_id, pair.opponent_id), pair]))
  return found.bots.map((bot) => ({
    bot,
    cells: found.bots.map((other) => pairs.get(key(bot.submission_id, other.submission_id))),
  }))
}

/** Each cycle as a sentence. */
export function cycleSentences(found: Matchups): string[] {
  const names = new Map(found.bots.map((bot) => [bot.submission_id, bot.bot]))
  return found.cycles.map(({ submission_ids }) => {
    const [a, b, c] = submission_ids.map((id) => names.get(id))
    return `${a} beats ${b}, ${b} beats ${c}, and ${c} beats ${a}: no order of these three is right.`
  })
}
