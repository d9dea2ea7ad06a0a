import { expect, test } from 'vitest'
import { MatchFeed, MOST_WAITING } from '../src/lib/feed.svelte'
import type { Match } from '../src/lib/types'

const match = (id: number, state = 'queued'): Match => ({ id, state }) as Match
const ids = (list: Match[]): number[] => list.map(({ id }) => id)

test('new matches wait above the list; those in it change in their places', () => {
  const feed = new MatchFeed()
  feed.reset([match(5), match(4)])
  feed.apply(match(7), true)
  feed.apply(match(6), true)
  feed.apply(match(8), false)
  feed.apply(match(4, 'done'), true)
  feed.apply(match(6, 'done'), true)
  feed.apply(match(3), true)
  expect(ids(feed.shown)).toEqual([5, 4])
  expect(feed.shown[1]!.state).toBe('done')
  expect(ids(feed.waiting)).toEqual([7, 6])
  feed.reveal()
  expect(ids(feed.shown)).toEqual([7, 6, 5, 4])
  expect(feed.shown[1]!.state).toBe('done')
  expect(feed.waiting).toEqual([])
})

test('an empty list shows its first match at once', () => {
  const feed = new MatchFeed()
  feed.apply(match(1), true)
  expect(ids(feed.shown)).toEqual([1])
})

test('a short list stays short, and not everything waits', () => {
  const feed = new MatchFeed(2)
  feed.reset([match(2), match(1)])
  for (let id = 3; id < 200; id++) feed.apply(match(id), true)
  expect(feed.waiting).toHaveLength(MOST_WAITING)
  feed.reveal()
  expect(ids(feed.shown)).toEqual([199, 198])
})

test('whoever comes back finds the list as it was, and what is new above it', () => {
  const feed = new MatchFeed()
  feed.reset([match(9), match(8), match(7), match(6)], 7)
  expect([ids(feed.shown), ids(feed.waiting)]).toEqual([[7, 6], [9, 8]])
  feed.reset([match(99), match(98)], 7)
  expect([ids(feed.shown), ids(feed.waiting)]).toEqual([[99, 98], []])
})
