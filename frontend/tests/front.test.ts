import { expect, test } from 'vitest'
import { readFrontMatch, withChanged } from '../src/lib/front'
import type { Match } from '../src/lib/types'

test.each([
  ['ants 12 done', { game: 'ants', match: 12, over: true }],
  ['tron 3 running', { game: 'tron', match: 3, over: false }],
  ['ants', null],
  ['ants x done', null],
  ['', null],
])('%j names the match of the home page', (content, match) => {
  expect(readFrontMatch(content)).toEqual(match)
})

test('matches are counted while they are played, those that began before the page was opened, too', () => {
  const match = (id: number, state: string, kind = 'ladder'): Match => ({ id, state, kind }) as Match
  const ids = (running: Match[]): number[] => running.map(({ id }) => id)
  const running = [match(1, 'running'), match(2, 'running')]
  expect(ids(withChanged(running, match(1, 'done')))).toEqual([2])
  expect(ids(withChanged(running, match(3, 'running')))).toEqual([1, 2, 3])
  expect(ids(withChanged(running, match(2, 'running')))).toEqual([1, 2])
  expect(ids(withChanged(running, match(4, 'queued')))).toEqual([1, 2])
  expect(ids(withChanged(running, match(4, 'running', 'duel')))).toEqual([1, 2])
})
