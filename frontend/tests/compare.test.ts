import { expect, test } from 'vitest'
import { compareAddress, comparedMatches, differenceOf, firstDifference } from '../src/lib/compare'
import { neighboursIn } from '../src/lib/match-list'
import type { Frame } from '../src/viewer/lines'

const frames = (...moves: string[]): Frame[] => moves.map((m, at) => ({ t: at + 1, m, cpu: [Math.random()] }) as Frame)

test('two matches part in the first turn that is not the same; CPU times do not count', () => {
  expect(firstDifference(frames('a', 'b', 'c'), frames('a', 'x', 'c'))).toBe(2)
  expect(firstDifference(frames('a', 'b'), frames('a', 'b'))).toBeNull()
  expect(firstDifference([], [])).toBeNull()
})

test('a match that goes on parts in the turn after the other one ended', () => {
  expect(firstDifference(frames('a', 'b'), frames('a', 'b', 'c'))).toBe(3)
  expect(firstDifference(frames('a', 'b', 'c', 'd'), frames('a', 'b'))).toBe(3)
  expect(firstDifference([], frames('a'))).toBe(1)
})

test('what was not read to its end is not compared', () => {
  const read = (complete: boolean, ...moves: string[]): never => ({ complete, timeline: { frames: frames(...moves) } }) as never
  expect(differenceOf(read(true, 'a', 'b'), read(true, 'a', 'x'))).toBe(2)
  expect(differenceOf(read(true, 'a'), read(true, 'a'))).toBeNull()
  expect(differenceOf(read(true, 'a', 'b'), read(false, 'a'))).toBeUndefined()
  expect(differenceOf({ complete: true, timeline: undefined }, read(true, 'a'))).toBeUndefined()
})

test('an address names two matches, or none', () => {
  const search = (text: string): URLSearchParams => new URLSearchParams(text)
  expect(comparedMatches(new URL(compareAddress(3, 14), 'http://x').searchParams)).toEqual([3, 14])
  for (const text of ['', 'old=3', 'old=3&new=x', 'old=-3&new=4', `old=3&new=${'9'.repeat(80)}`]) expect(comparedMatches(search(text))).toBeNull()
})

test('the matches of a list have neighbours', () => {
  expect(neighboursIn([30, 20, 10], 20)).toEqual({ next: 10, previous: 30 })
  expect(neighboursIn([30, 20, 10], 30)).toEqual({ next: 20, previous: null })
  expect(neighboursIn([30], 7)).toEqual({ next: null, previous: null })
})
