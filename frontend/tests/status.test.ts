/* The organisers' page of figures: what it says, and what its charts show. */
import { expect, test } from 'vitest'
import { gigabytes, HOUR_MS, lineOf, percent, perMinute, queueRows, span, topOf, worries } from '../src/lib/status'
import type { ArenaStatus, QueueStatus } from '../src/lib/types'

const NOW = Date.parse('2026-01-01T12:00:30Z')

const queued = (kind: string, game: string, waiting: number, oldest_s: number | null) => ({ kind, game, waiting, playing: 1, paused: 0, oldest_s }) as QueueStatus

const fine: ArenaStatus = {
  version: '1',
  ready: true,
  missing: [],
  disk_free_bytes: 50e9,
  disk_size_bytes: 100e9,
  streams: 0,
  history: [],
  left_out: [],
  troubles: [],
  figures: {
    at: '2026-01-01T12:00:30Z',
    queue: [],
    submissions: {},
    recent: { window_s: 3600, per_minute: 1, void_rate: 0.01, games: [], causes: {}, void_attempts: {}, faults: {}, minutes: [] },
    workers: [{ host: 'a', process: '1', up: true, slots: 2, spare: 2, seen_s: 1, late_s: 0, cpu_wait: null, languages: 3, joined: false, toolchains: {}, clock_off_s: 0, clock_wrong: false }],
    differing: [],
    ladders: [{ game: 'ants', competitors: 3, placing: 0, pending: 5, refitted_s: 20, refit_s: 0.1 }],
    event_lag_s: 0,
    took_s: 0.01,
  },
}

test('the queue has a row for each kind, and the longest wait of its games', () => {
  const rows = queueRows([queued('check', 'ants', 1, 4), queued('ladder', 'ants', 2, null), queued('ladder', 'yavalath', 3, 9), queued('ladder', 'nim', 0, null)])
  expect(rows.map((row) => [row.kind, row.waiting, row.playing, row.oldest, row.games.length])).toEqual([
    ['check', 1, 1, 4, 1],
    ['ladder', 5, 3, 9, 3],
  ])
  expect(queueRows([queued('duel', 'ants', 0, null)])[0]!.oldest).toBeNull()
})

test('minutes in which nothing ended are zero, and the minute that runs is left out', () => {
  const minutes = [
    { at: '2026-01-01T11:56:00Z', done: 7, void: 0 },
    { at: '2026-01-01T11:58:00Z', done: 3, void: 1 },
    { at: '2026-01-01T12:00:00Z', done: 1, void: 0 },
  ]
  expect(perMinute(minutes, NOW, (one) => one.done).map((point) => point.value)).toEqual([7, 0, 3, 0])
  expect(perMinute([], NOW, (one) => one.done)).toEqual([])
})

test('a line goes from an hour ago at the left to now at the right', () => {
  const points = [
    { at: NOW - 2 * HOUR_MS, value: 99 },
    { at: NOW - HOUR_MS, value: 0 },
    { at: NOW - HOUR_MS / 2, value: 5 },
    { at: NOW, value: 10 },
  ]
  expect(lineOf(points, NOW, 10)).toBe('0.0000,1.0000 0.5000,0.5000 1.0000,0.0000')
})

test.each([
  [[], 5],
  [[1], 5],
  [[11], 20],
  [[20], 20],
  [[21], 50],
  [[501], 1000],
])('of %j the top is %i', (values, top) => {
  expect(topOf(values.map((value) => ({ at: 0, value })))).toBe(top)
})

test.each([
  [0.4, '0 s'],
  [119, '119 s'],
  [120, '2 min'],
  [7200, '2 h'],
  [172_800, '2 days'],
])('%f seconds are %s', (seconds, words) => {
  expect(span(seconds)).toBe(words)
})

test('sizes and shares are short', () => {
  expect([gigabytes(1.25e9), gigabytes(22.6e9)]).toEqual(['1.3 GB', '23 GB'])
  expect([percent(0), percent(0.013), percent(0.5)]).toEqual(['0 %', '1.3 %', '50 %'])
})

test('on a good day there is nothing to worry about', () => {
  expect(worries(fine)).toEqual([])
  expect(worries({ ...fine, figures: null })).toEqual([])
})

test('each thing that is wrong is said', () => {
  const figures = fine.figures!
  const say = (change: Partial<ArenaStatus>) => worries({ ...fine, ...change }).join(' ')
  expect(say({ missing: ['No worker is up.'] })).toContain('No worker is up.')
  expect(say({ troubles: ['The scheduler ends again and again.'] })).toContain('The scheduler ends again and again.')
  expect(say({ disk_free_bytes: 9e9 })).toContain('9.0 GB')
  expect(say({ figures: { ...figures, recent: { ...figures.recent, void_rate: 0.06 } } })).toContain('6.0 %')
  expect(say({ figures: { ...figures, event_lag_s: 11 } })).toContain('11 s late')
  expect(say({ figures: { ...figures, workers: [{ ...figures.workers[0]!, up: false, seen_s: 70 }] } })).toContain('a:1 has been silent for 70 s')
  expect(say({ figures: { ...figures, ladders: [{ ...figures.ladders[0]!, refitted_s: 901 }] } })).toContain('5 results of ants')
})
