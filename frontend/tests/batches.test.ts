import { expect, test } from 'vitest'
import { aboutMatch, eloText, seedsFor, shareOf, wordOf } from '../src/lib/batches'
import type { BatchMatch, BatchScore } from '../src/lib/types'

const score = (changes: Partial<BatchScore>): BatchScore => ({ wins: 0, draws: 0, losses: 0, different: 0, elo: null, elo_low: null, elo_high: null, ...changes }) as BatchScore
const match = (changes: Partial<BatchMatch>): BatchMatch =>
  ({ state: 'done', points: 1, seat: 0, seed: '17', turns: 40, fault: null, repeat: false, void_reason: null, ...changes }) as BatchMatch

test('a score is the share of points', () => {
  expect(shareOf(score({}))).toBeNull()
  expect(shareOf(score({ wins: 2, draws: 1, losses: 1 }))).toBe(0.625)
})

test('the difference in strength has an interval, and where all was won one end', () => {
  expect(eloText(score({}))).toBe('')
  expect(eloText(score({ different: 9, elo: 35, elo_low: -20, elo_high: 90 }))).toBe('+35 (−20 to +90)')
  expect(eloText(score({ different: 4, elo_low: 50 }))).toBe('above +50')
  expect(eloText(score({ different: 4, elo_high: -50 }))).toBe('below −50')
})

test('a match is summed up in a word, and whole when asked', () => {
  expect([1, 0.5, 0].map((points) => wordOf(match({ points })))).toEqual(['won', 'draw', 'lost'])
  expect(wordOf(match({ state: 'queued', points: null }))).toBe('waiting')
  expect(aboutMatch(match({ points: 0, seat: 1, fault: 'crash', repeat: true }))).toBe('Lost as second with seed 17, 40 turns, crash, the same game as before')
  expect(aboutMatch(match({ seat: 3 }))).toBe('Won in seat 3 with seed 17, 40 turns')
  expect(aboutMatch(match({ turns: 1 }))).toBe('Won as first with seed 17, 1 turn')
  expect(aboutMatch(match({ state: 'void', points: null, turns: null, void_reason: 'Stopped.' }))).toBe('Void as first with seed 17, Stopped.')
})

test('as many seeds as wanted, where a batch may have them', () => {
  expect([seedsFor(2, 20, 5), seedsFor(3, 20, 5), seedsFor(10, 20, 5), seedsFor(20, 20, 5)]).toEqual([5, 3, 1, 1])
})
