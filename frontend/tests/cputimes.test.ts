import { expect, test } from 'vitest'
import { distribution, turnTimes } from '../src/lib/cputimes'

const REPLAY = [
  '{"format":1,"game":"yavalath"}',
  '{"t":1,"cpu":[21.3,1.5]}',
  '{"t":2,"cpu":[null,3]}',
  '{"t":3,"x":5}',
  '{"t":4,"cpu":[7]}',
  '{"t":5,"cpu":[9,4',
].join('\n')

test('the times of a seat are read without its first turn', () => {
  expect(turnTimes(REPLAY, [0])).toEqual([7])
  expect(turnTimes(REPLAY, [1])).toEqual([3])
  expect(turnTimes(REPLAY, [0, 1])).toEqual([3, 7])
  expect(turnTimes('', [0])).toEqual([])
})

test('a distribution has its median, its worst, and bins up to the limit', () => {
  const found = distribution([1, 2, 3, 4, 120], 100)!
  expect([found.turns, found.median, found.p99, found.worst]).toEqual([5, 3, 120, 120])
  expect(found.bins.map((bin) => bin.turns)).toEqual([4, ...Array.from({ length: 18 }, () => 0), 1])
  expect(found.bins[1]!.from).toBe(5)
})

test('without turns there is none', () => {
  expect(distribution([], 100)).toBeNull()
})

test('where all turns are far below the limit, the bins end earlier', () => {
  expect(distribution([1, 2, 4], 100)!.top).toBe(5)
  expect(distribution([1, 80], 100)!.top).toBe(100)
  expect(distribution([1, 60], 50)!.top).toBe(50)
})
