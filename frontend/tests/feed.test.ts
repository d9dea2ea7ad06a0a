import { describe, expect, test } from 'vitest'
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

describe('while the list is read', () => {
  test('what the stream says is newer than the answer', () => {
    const feed = new MatchFeed()
    const settle = feed.begin()
    feed.apply(match(5, 'running'), true)
    feed.apply(match(5, 'done'), true)
    feed.apply(match(8, 'running'), true)
    feed.apply(match(7), false)
    expect(feed.shown).toEqual([])
    settle(() => feed.reset([match(6), match(5, 'running')]))
    expect(feed.shown.map(({ id, state }) => `${id} ${state}`)).toEqual(['6 queued', '5 done'])
    expect(ids(feed.waiting)).toEqual([8])
    feed.reset([match(6), match(5, 'running')])
    expect(feed.shown[1]!.state).toBe('running')
  })

  test('a list that was read before stays up to date', () => {
    const feed = new MatchFeed()
    feed.reset([match(5, 'running')])
    const settle = feed.begin()
    feed.apply(match(5, 'done'), true)
    feed.apply(match(6), true)
    settle()
    expect([feed.shown[0]!.state, ids(feed.waiting)]).toEqual(['done', [6]])
  })

  test('each request knows what changed since it began', () => {
    const feed = new MatchFeed()
    const [first, second] = [feed.begin(), feed.begin()]
    feed.apply(match(5, 'done'), true)
    second(() => feed.reset([match(5, 'running')]))
    expect(feed.shown[0]!.state).toBe('done')
    // An earlier request that was given up changes nothing.
    feed.reset([match(5, 'void')])
    first()
    expect(feed.shown[0]!.state).toBe('void')
  })

  test('what the stream says is shown where there is no answer', () => {
    const feed = new MatchFeed()
    const [given, first, second] = [feed.begin(), feed.begin(), feed.begin()]
    feed.apply(match(5, 'running'), true)
    feed.apply(match(7), false)
    given()
    first('failed')
    expect(feed.shown, 'another answer is on its way').toEqual([])
    second('failed')
    expect(ids(feed.shown)).toEqual([5])
  })

  test('a request that fails late leaves newer answers alone', () => {
    const feed = new MatchFeed()
    const first = feed.begin()
    feed.apply(match(5, 'running'), true)
    feed.begin()(() => feed.reset([match(5, 'done')]))
    first('failed')
    expect(feed.shown[0]!.state).toBe('done')
  })

  test('older ones that change come as they are now', () => {
    const feed = new MatchFeed()
    feed.reset([match(9)])
    const settle = feed.begin()
    feed.apply(match(4, 'done'), true)
    settle(() => feed.append([match(8), match(4, 'running')]))
    expect(feed.shown.map(({ id, state }) => `${id} ${state}`)).toEqual(['9 queued', '8 queued', '4 done'])
  })
})
