import { expect, test } from 'vitest'
import { cycleSentences, matrixRows, percent, sentence, strictPercent, surprise, verdict } from '../src/lib/matchups'
import type { Matchup, MatchupBot, Matchups } from '../src/lib/types'

const pair = (games: number, points: number, expected: number, ids = [1, 2]): Matchup => ({
  submission_id: ids[0]!,
  opponent_id: ids[1]!,
  games,
  points,
  expected,
  next_game: 0.55,
  repeats: false,
})
const bots = ['Ada', 'Bob', 'Cem'].map((bot, at) => ({ bot, submission_id: at + 1 }) as MatchupBot)

test('what differs from expectations is shown in standard deviations', () => {
  expect(surprise(pair(100, 60, 50))).toBeCloseTo(2)
  expect(surprise(pair(100, 45, 50))).toBeCloseTo(-1)
  expect(surprise(pair(0, 0, 0))).toBe(0)
})

test('one game is no surprise, many alike are', () => {
  expect([pair(1, 1, 0.6), pair(20, 13, 10), pair(20, 15, 10), pair(20, 7, 10), pair(20, 5, 10)].map(verdict)).toEqual([0, 1, 2, -1, -2])
})

test('a cell is a sentence', () => {
  expect(sentence('Ada', 'Bob', pair(20, 12.5, 9.1))).toBe('Ada against Bob: 12.5 of 20 points, 9.1 expected')
  expect(sentence('Ada', 'Bob', { ...pair(2, 2, 1.4), repeats: true })).toBe(
    'Ada against Bob: 2 of 2 points, 1.4 expected. More games of these two would only repeat earlier ones, whoever begins',
  )
  expect(sentence('Ada', 'Bob', pair(0, 0, 0))).toBe('Ada against Bob: no games, 55 % of the points expected')
  expect([percent(0), percent(0.625), percent(1)]).toEqual(['0 %', '63 %', '100 %'])
})

test('rows and columns are in the order of the bots', () => {
  const pairs = [pair(9, 1, 2, [3, 1]), pair(8, 3, 4, [1, 3]), pair(7, 5, 6, [2, 3])]
  const rows = matrixRows({ bots, pairs, cycles: [], team_game: false })
  expect(rows.map((row) => row.bot.bot)).toEqual(['Ada', 'Bob', 'Cem'])
  expect(rows.map((row) => row.cells.map((cell) => cell?.games))).toEqual([
    [undefined, undefined, 8],
    [undefined, undefined, 7],
    [9, undefined, undefined],
  ])
})

test('a cycle is a sentence', () => {
  const found: Matchups = { bots, pairs: [], cycles: [{ submission_ids: [1, 3, 2], sure: 0.97 }], team_game: false }
  expect(cycleSentences(found)).toEqual(['Ada beats Cem, Cem beats Bob, and Bob beats Ada: no order of these three is right.'])
})

test('only all of something is 100 %, and only nothing 0 %', () => {
  expect([1, 0.996, 0.5, 0.003, 0].map(strictPercent)).toEqual(['100 %', '99 %', '50 %', '1 %', '0 %'])
})
