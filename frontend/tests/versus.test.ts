import { expect, test } from 'vitest'
import { byOpponent, scoreText, share, tint } from '../src/lib/versus'
import type { OpponentResult } from '../src/lib/types'

const result = (opponent_id: number, seat: number, won: number, drawn: number, lost: number): OpponentResult => ({
  opponent_id,
  opponent: 'one',
  seat,
  won,
  drawn,
  lost,
  repeats: 0,
})

test('the seats of an opponent are summed up', () => {
  const found = byOpponent([result(5, 0, 3, 1, 0), result(5, 1, 1, 0, 2), result(6, 0, 0, 0, 1)])
  expect(found.get(5)).toEqual({ won: 4, drawn: 1, lost: 2 })
  expect(found.get(6)).toEqual({ won: 0, drawn: 0, lost: 1 })
  expect(found.get(7)).toBeUndefined()
})

test('a score in words, and as a share of the points', () => {
  const score = { won: 4, drawn: 1, lost: 0 }
  expect(scoreText(score)).toBe('4 won, 1 drawn, 0 lost')
  expect(share(score)).toBe(0.9)
})

test('a score is coloured by who scored more, and pale where few games were played', () => {
  expect(tint({ won: 3, drawn: 0, lost: 0 })).toContain('--good) 34%')
  expect(tint({ won: 0, drawn: 0, lost: 3 })).toContain('--bad) 34%')
  expect(tint({ won: 2, drawn: 0, lost: 0 })).toContain('--good) 8%')
  expect(tint({ won: 2, drawn: 0, lost: 2 })).toBeNull()
  expect(tint({ won: 0, drawn: 0, lost: 0 })).toBeNull()
  expect(tint(undefined)).toBeNull()
})
