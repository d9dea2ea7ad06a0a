import { describe, expect, test } from 'vitest'
import type { Frame } from '../src/viewer/lines'
import type { Exchange } from '../src/viewer/replay'
import { columns, limitOf, slowest, timesOfLog, timesOfSeat, timeText, TOP, type Timed } from '../src/viewer/times'

const LIMITS = { firstMs: 1000, turnMs: 50 }
const log = (...cpu: number[]): Timed[] => cpu.map((used, i) => ({ t: i + 1, cpu: used, ms: used + 1, lost: false }))

test('a private log has times by both clocks, also for a turn without a reply', () => {
  const exchange = { t: 3, i: '', o: null, e: '', cpu: 63.1, ms: 70 } as Exchange
  expect(timesOfLog([exchange])).toEqual([{ t: 3, cpu: 63.1, ms: 70, lost: true }])
})

test('a replay has the CPU times of every seat that was asked', () => {
  const frames: Frame[] = [
    { t: 1, cpu: [5, null, 7] },
    { t: 2, cpu: [null, 8], faults: [[1, 'illegal', '']] },
    { t: 3, cpu: [0, 9], faults: [[1, 'timeout', ''], [0, 'warning', '']] },
    { t: 4 },
  ]
  const found = (seat: number): [number, number, boolean][] => timesOfSeat(frames, seat).map(({ t, cpu, lost }) => [t, cpu, lost])
  expect(found(0)).toEqual([[1, 5, false], [3, 0, false]])
  expect(found(1)).toEqual([[2, 8, false], [3, 9, true]])
  expect(found(2)).toEqual([[1, 7, false]])
  expect(found(3)).toEqual([])
})

describe('the chart of CPU times', () => {
  test('measures the first turn by its own limit', () => {
    expect([limitOf(0, LIMITS), limitOf(1, LIMITS)]).toEqual([1000, 50])
    expect(columns(log(500, 25), LIMITS, 10).map((one) => one.share)).toEqual([0.5, 0.5])
  })

  test('has a column for each turn where there is room', () => {
    expect(columns(log(10, 5, 40), LIMITS, 3)).toEqual([
      { from: 0, at: 0, share: 0.01, bad: false },
      { from: 1, at: 1, share: 0.1, bad: false },
      { from: 2, at: 2, share: 0.8, bad: false },
    ])
  })

  test('shows the slowest turn of those that share a column, and loses none', () => {
    const long = log(...Array.from({ length: 2003 }, (_, i) => (i === 777 ? 49 : 1)))
    const found = columns(long, LIMITS, 100)
    expect(found).toHaveLength(100)
    expect(found.filter((one) => one.share > 0.9).map((one) => one.at)).toEqual([777])
    expect(slowest(long, LIMITS)).toBe(777)
    const last = log(...Array.from({ length: 2003 }, (_, i) => (i === 2002 ? 49 : 1)))
    expect(columns(last, LIMITS, 100).at(-1)!.at).toBe(2002)
  })

  test('cuts off what is far above the limit, and marks it', () => {
    expect(columns(log(1, 500), LIMITS, 5)[1]).toEqual({ from: 1, at: 1, share: TOP, bad: true })
  })

  test('marks a turn without a reply, although it used little', () => {
    const turns = log(1, 1, 30)
    turns[1]!.lost = true
    expect(columns(turns, LIMITS, 3).map((one) => one.bad)).toEqual([false, true, false])
    expect(columns(turns, LIMITS, 1)[0]).toEqual({ from: 0, at: 2, share: 0.6, bad: true })
  })

  test('is empty for a bot that was never asked', () => {
    expect(columns([], LIMITS, 10)).toEqual([])
    expect(slowest([], LIMITS)).toBeUndefined()
  })

  test('puts a time into words', () => {
    expect(timeText(log(12.34, 63.1), 1, LIMITS)).toBe('CPU 63.1 of 50 ms, wall 64.1 ms')
    expect(timeText(log(1, 1234.5), 1, LIMITS)).toBe('CPU 1235 of 50 ms, wall 1236 ms')
    expect(timeText(log(3.14), 0, LIMITS)).toBe('CPU 3.1 of 1000 ms, wall 4.1 ms')
    expect(timeText([{ t: 1, cpu: 5, lost: false }], 0, LIMITS)).toBe('CPU 5.0 of 1000 ms')
  })
})
