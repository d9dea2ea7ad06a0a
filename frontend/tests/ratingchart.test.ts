import { expect, test } from 'vitest'
import { chartOf, gridOf, versionsOf } from '../src/lib/ratingchart'
import type { HistoryPoint } from '../src/lib/types'

const START = Date.parse('2026-11-01T00:00:00Z')
const point = (hours: number, version: number, rating: number, reach = 50): HistoryPoint => ({
  at: new Date(START + hours * 3_600_000).toISOString(),
  version,
  league: null,
  rating,
  low: rating - reach,
  high: rating + reach,
  games: 1,
  live: true,
})
const SIZE = { width: 140, height: 120, left: 40, below: 20 }

test('a rating holds until the next one, and the last until now', () => {
  const chart = chartOf([point(0, 1, 1000), point(5, 1, 1100)], SIZE, START + 10 * 3_600_000)!
  // 1,000 ± 50 and 1,100 ± 50: from 950 to 1,150 on 100 pixels.
  expect(chart.stretches[0]!.line).toBe('40.0,75.0 90.0,75.0 90.0,25.0 140.0,25.0')
  expect(chart.stretches[0]!.band).toBe('40.0,50.0 90.0,50.0 90.0,0.0 140.0,0.0 140.0,50.0 90.0,50.0 90.0,100.0 40.0,100.0')
})

test('each version begins at a mark', () => {
  const chart = chartOf([point(0, 1, 1000), point(5, 2, 1000), point(8, 1, 1000)], SIZE, START + 10 * 3_600_000)!
  expect(chart.stretches.map(({ version, x }) => [version, x])).toEqual([
    [1, 40],
    [2, 90],
    [1, 120],
  ])
  expect(chart.stretches[0]!.line).toContain('90.0,')
})

test('labels of versions that came close together are left out', () => {
  const chart = chartOf([point(0, 1, 1000), point(1, 2, 1000), point(5, 3, 1000)], SIZE, START + 10 * 3_600_000)!
  expect(chart.stretches.map(({ label }) => label)).toEqual(['v1', '', 'v3'])
})

test('the interval of a newcomer does not flatten the line', () => {
  const chart = chartOf([point(0, 1, 1000, 600), point(5, 1, 1100)], SIZE, START + 10 * 3_600_000)!
  expect(chart.lines.map(({ rating }) => rating)).toEqual([900, 1000, 1100, 1200])
})

test('without points there is no chart', () => {
  expect(chartOf([], SIZE, START)).toBeNull()
})

test('a chart of one moment has no division by zero', () => {
  expect(chartOf([point(0, 1, 1000, 0)], SIZE, START)!.stretches[0]!.line).not.toContain('NaN')
})

test('the chart of a computer whose clock is behind ends with its last point', () => {
  const chart = chartOf([point(0, 1, 1000), point(5, 1, 1100)], SIZE, START - 3_600_000)!
  expect(chart.to).toBe(START + 5 * 3_600_000)
  expect(chart.stretches[0]!.line).toBe('40.0,75.0 140.0,75.0 140.0,25.0 140.0,25.0')
})

test('points are cut where the version changes', () => {
  expect(versionsOf([point(0, 1, 1), point(1, 1, 2), point(2, 2, 3)]).map((part) => part.length)).toEqual([2, 1])
})

test('the grid has round ratings and few lines', () => {
  expect(gridOf(987, 1043)).toEqual([1000, 1020, 1040])
  expect(gridOf(0, 10_000).length).toBeGreaterThan(0)
})
