import { expect, test } from 'vitest'
import { inOrder, merge, scale, sureOf } from '../src/lib/board'
import type { Standing } from '../src/lib/types'

const row = (bot_id: number, rating: number, rank = 0): Standing =>
  ({ bot_id, rating, rank, low: rating - 60, high: rating + 60, league_position: 1, submission_id: bot_id }) as Standing
const shown = (rows: Standing[]): string[] => rows.map((one) => `${one.rank}. ${one.bot_id} ${one.rating}`)

test('rows that changed move to their place, and ranks are counted anew', () => {
  const before = [row(1, 1300, 1), row(2, 1200, 2), row(3, 1100, 3)]
  expect(shown(merge(before, [row(3, 1250)]))).toEqual(['1. 1 1300', '2. 3 1250', '3. 2 1200'])
})

test('new rows come in', () => {
  expect(shown(merge([row(1, 1300, 1)], [row(9, 1400)]))).toEqual(['1. 9 1400', '2. 1 1300'])
  expect(shown(merge([], [row(9, 1400)]))).toEqual(['1. 9 1400'])
})

test('ranks go on from the first row’s', () => {
  expect(shown(merge([row(1, 900, 51), row(2, 800, 52)], [row(2, 950)]))).toEqual(['51. 2 950', '52. 1 900'])
})

test('the scale holds all intervals, in round figures', () => {
  expect(scale([row(1, 1310), row(2, 1000)])).toEqual({ from: 850, to: 1450 })
  expect(scale([])).toEqual({ from: 0, to: 1 })
})

test('a higher league is above, whatever the rating', () => {
  const gold = { ...row(1, 900), league_position: 4 }
  expect(merge([row(2, 1500, 1)], [gold]).map((one) => one.bot_id)).toEqual([1, 2])
  expect(inOrder(row(1, 1000), row(2, 1000))).toBeGreaterThan(0)
})

test('how sure a place is, is said in a sentence', () => {
  expect(sureOf({ ...row(1, 900), placing: true, games_left: 12 } as Standing)).toBe('Placing: about 12 more games')
  const next = { ...row(1, 900), placing: false, above_next: 0.714, games_left: 60 } as Standing
  expect(sureOf(next)).toBe('71 % sure that it is stronger than the next; about 60 more games would tell them apart')
  expect(sureOf({ ...next, games_left: 0 })).toBe('71 % sure that it is stronger than the next')
  expect(sureOf({ ...next, above_next: null })).toBe('')
})
