import { describe, expect, test } from 'vitest'
import text from '../../tests/games/statistics.json?raw'
import { chartsOf, lineOf, short, statisticsOf, valueAt, type Value } from '../src/viewer/statistics'

interface Case {
  name: string
  turns: [number, string][]
  player: Record<string, Value>
  turn_data: Record<string, [number, Value][]>
  ignored: number
}

const CASES = JSON.parse(text) as Case[]

describe('lines are parsed as on the command line', () => {
  test.each(CASES)('$name', ({ turns, player, turn_data, ignored }) => {
    const found = statisticsOf(turns)
    expect([...found.player]).toEqual(Object.entries(player))
    expect([...found.turns].map(([key, values]) => [key, [...values]])).toEqual(Object.entries(turn_data))
    expect(found.ignored).toBe(ignored)
  })

  test('a flood of keys is ignored but for the first ones', () => {
    const flood = Array.from({ length: 10_000 }, (_, n) => `[TDATA] key${n} = ${n}\n[PDATA] key${n} = 1`).join('\n')
    const found = statisticsOf([
      [1, flood],
      [2, '[TDATA] key3 = 5\n'],
    ])
    expect([found.turns.size, found.player.size, found.ignored]).toEqual([64, 64, 2 * (10_000 - 64)])
    expect([...found.turns.get('key3')!]).toEqual([[1, 3], [2, 5]])
  })
})

describe('the chart of a statistic', () => {
  const [chart] = chartsOf(statisticsOf([[3, '[TDATA] d = 2'], [5, '[TDATA] d = 6'], [7, '[TDATA] d = none'], [9, '[TDATA] d = 4']]))

  test('has its numbers as points between the least and the greatest', () => {
    expect(chart).toMatchObject({ key: 'd', points: [[3, 2], [5, 6], [9, 4]], low: 2, high: 6 })
    expect(lineOf(chart!, 1, 9)).toBe('0.25,1 0.5,0 1,0.5')
  })
  test('shows the last value of the turn on screen or before it', () => {
    expect([2, 3, 4, 7, 9, 99].map((turn) => valueAt(chart!.values, turn))).toEqual([undefined, 2, 2, 'none', 4, 4])
  })
  test('is a flat line where nothing changes, and across where there is one value', () => {
    const flat = chartsOf(statisticsOf([[1, '[TDATA] d = 5'], [2, '[TDATA] d = 5']]))[0]!
    expect(lineOf(flat, 1, 2)).toBe('0,0.5 1,0.5')
    expect(lineOf(chartsOf(statisticsOf([[1, '[TDATA] d = 5']]))[0]!, 1, 1)).toBe('0,0.5 1,0.5')
  })
  test('bears the greatest numbers', () => {
    const wide = chartsOf(statisticsOf([[1, '[TDATA] d = -1e308'], [2, '[TDATA] d = 1e308']]))[0]!
    expect(lineOf(wide, 1, 2)).toBe('0,1 1,0')
  })
  test('without numbers has no points', () => {
    expect(chartsOf(statisticsOf([[1, '[TDATA] mode = attack']]))[0]!.points).toEqual([])
  })
  test('writes numbers in few characters', () => {
    expect([0.1 + 0.2, 1234567.8, -3, 'careful'].map(short)).toEqual(['0.3', '1234570', '-3', 'careful'])
  })
})
