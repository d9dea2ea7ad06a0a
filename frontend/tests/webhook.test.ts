import { expect, test } from 'vitest'
import { chosen, isMoving, KINDS, outcome, until, wanted } from '../src/lib/webhook'

const NOW = Date.parse('2026-11-23T12:00:00Z')
const at = (seconds: number): string => new Date(NOW + 1000 * seconds).toISOString()
const message = { state: 'pending', tries: 1, status: 500, problem: 'It answered 500.', next_at: at(240) } as const

test.each([
  [-5, 'now'],
  [0, 'now'],
  [4.2, 'in 5 s'],
  [59, 'in 59 s'],
  [60, 'in 1 min'],
  [240, 'in 4 min'],
  [7200, 'in 2 h'],
  [86400, 'in 24 h'],
])('%d seconds are said as %s', (seconds, words) => {
  expect(until(at(seconds), NOW)).toBe(words)
})

test.each([
  [message, 'Failed: 500, next try in 4 min'],
  [{ ...message, status: null, problem: 'It did not answer within 10 s.' }, 'Failed: It did not answer within 10 s, next try in 4 min'],
  [{ ...message, tries: 0, status: null, problem: null }, 'Waiting to be sent'],
  [{ ...message, status: null, problem: null }, 'Waiting to be sent'],
  [{ ...message, state: 'sending', next_at: null }, 'Being sent'],
  [{ ...message, state: 'delivered', status: 200, next_at: null }, 'Delivered'],
  [{ ...message, state: 'delivered', status: 200, tries: 3, next_at: null }, 'Delivered after 3 tries'],
  [{ ...message, state: 'failed', status: 410, next_at: null }, 'Failed: 410, given up'],
  [{ ...message, state: 'failed', tries: 10, next_at: null }, 'Failed: 500, given up after 10 tries'],
] as const)('a message is described %#', (described, words) => {
  expect(outcome(described, NOW)).toBe(words)
})

test('what changes soon is looked at again soon', () => {
  expect(isMoving(message, NOW)).toBe(false)
  expect(isMoving({ ...message, next_at: at(9) }, NOW)).toBe(true)
  expect(isMoving({ ...message, state: 'sending', next_at: null }, NOW)).toBe(true)
  expect(isMoving({ ...message, state: 'delivered', next_at: null }, NOW)).toBe(false)
})

test('all kinds are sent as no choice', () => {
  const all = KINDS.map((one) => one.id)
  expect(wanted(all)).toBeNull()
  expect(wanted(['duel'])).toEqual(['duel'])
  expect(chosen(null)).toEqual(all)
  expect(chosen(['duel', 'promoted'])).toEqual(['promoted', 'duel'])
})
