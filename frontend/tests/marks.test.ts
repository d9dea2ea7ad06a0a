import { expect, test } from 'vitest'
import { gapText, percentOf } from '../src/lib/marks'

test('a probability is never shown as certain', () => {
  expect([1, 0.996, 0.99, 0.5, 0.004, 0].map(percentOf)).toEqual(['> 99 %', '> 99 %', '99 %', '50 %', '< 1 %', '< 1 %'])
})

test('a gap has its sign and its interval', () => {
  expect(gapText({ elo: 120.4, low: -39.6, high: 280.2 })).toBe('+120 Elo, −40 to +280')
  expect(gapText({ elo: -0.2, low: -0.4, high: 0.3 })).toBe('0 Elo, 0 to 0')
})
