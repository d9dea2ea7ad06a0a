import { expect, test } from 'vitest'
import { foldsOf, mapOf } from '../src/lib/opponents'
import type { Match, OpponentResult } from '../src/lib/types'

const result = (opponent: string, seat: number, won: number, lost: number, repeats = 0): OpponentResult => ({
  opponent_id: opponent.charCodeAt(0),
  opponent,
  seat,
  won,
  drawn: 0,
  lost,
  repeats,
})

test('the map has a row for each opponent and a column for each seat', () => {
  const map = mapOf([result('A', 1, 4, 8, 2), result('A', 0, 6, 6, 1), result('B', 0, 1, 19)])
  expect(map.seats).toEqual([0, 1])
  expect(map.rows.map((row) => [row.name, row.all, row.repeats])).toEqual([
    ['B', { won: 1, drawn: 0, lost: 19 }, 0],
    ['A', { won: 10, drawn: 0, lost: 14 }, 3],
  ])
  expect(map.rows[1]!.cells.map((cell) => cell?.won)).toEqual([6, 4])
  expect(map.rows[0]!.cells[1]).toBeUndefined()
})

test('opponents with few games come after the others, and those with repeats alone last', () => {
  const names = mapOf([result('C', 0, 0, 0, 5), result('B', 0, 0, 3), result('A', 0, 20, 0)]).rows.map((row) => row.name)
  expect(names).toEqual(['A', 'B', 'C'])
})

test('repeats that follow each other are one group', () => {
  const list = [true, true, false, true].map((repeat, id) => ({ id, repeat }) as Match)
  expect(foldsOf(list).map(({ match, repeats }) => [match.id, repeats.map(({ id }) => id)])).toEqual([
    [0, [1]],
    [2, []],
    [3, []],
  ])
})
