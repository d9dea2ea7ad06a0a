import { expect, test } from 'vitest'
import { merge, scale } from '../src/lib/board'
import type { Standing } from '../src/lib/types'

const row = (bot_id: number, rating: number, rank = 0): Standing =>
  ({ bot_id, rating, rank, low: rating - 60, high: rating + 60 }) as Standing
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
