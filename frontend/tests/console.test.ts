import { describe, expect, test } from 'vitest'
import { consoleOf, filtered, inputAt, nextFault, piecesOf, STREAMS, type Stream } from '../src/viewer/console'
import type { Exchange } from '../src/viewer/replay'

const turn = (t: number, o: string | null, e = '', i = ''): Exchange => ({ t, i, o, e, cpu: 1, ms: 1 })
const fault = (seat: number, at: number, kind: string, count = 1) => ({ seat, turn: at, kind, message: 'too slow', count })
const ALL = new Set(STREAMS)

const LOG = [turn(1, 'BEACON 1', 'plan: a\nplan: b\n', '1 2\n'), turn(3, null), turn(5, 'WAIT\n', '', '3 4\n')]
const turns = consoleOf(LOG, [fault(0, 3, 'timeout'), fault(1, 2, 'crash'), fault(0, 5, 'warning', 4)], 0)

describe('the console of a seat', () => {
  test('has what it wrote and its own faults, turn by turn', () => {
    expect(turns).toEqual([
      { turn: 1, parts: [{ stream: 'stdout', text: 'BEACON 1' }, { stream: 'stderr', text: 'plan: a\nplan: b' }] },
      { turn: 3, parts: [{ stream: 'fault', text: 'timeout: too slow' }] },
      { turn: 5, parts: [{ stream: 'stdout', text: 'WAIT' }, { stream: 'fault', text: 'warning: too slow (in 4 turns)' }] },
    ])
  })
  test('shows the streams that are wanted, and leaves out turns without any', () => {
    const only = (...streams: Stream[]): number[] => filtered(turns, new Set(streams), '').map((one) => one.turn)
    expect([only('stdout'), only('stderr'), only('fault')]).toEqual([[1, 5], [1], [3, 5]])
  })
  test('keeps the lines that contain what is searched for, in whatever case', () => {
    expect(filtered(turns, ALL, 'PLAN: B')).toEqual([{ turn: 1, parts: [{ stream: 'stderr', text: 'plan: b' }] }])
    expect(filtered(turns, ALL, 'nowhere')).toEqual([])
  })
  test('goes to the next fault, and behind the last to the first', () => {
    expect([0, 2, 3, 5, 99].map((after) => nextFault(turns, after))).toEqual([3, 3, 5, 3, 3])
    expect(nextFault(consoleOf(LOG, [], 0), 0)).toBeNull()
  })
  test('copies the input of the turn, or of the last one that the seat was asked in', () => {
    expect([0, 1, 2, 5, 9].map((at) => inputAt(LOG, at)?.text)).toEqual([undefined, '1 2\n', '1 2\n', '3 4\n', '3 4\n'])
  })
})

describe('what was searched for is marked', () => {
  const marked = (text: string, query: string): string =>
    piecesOf(text, query).map((piece) => (piece.hit ? `[${piece.text}]` : piece.text)).join('')

  test('wherever it stands', () => {
    expect(marked('Ant ant bant', 'ant')).toBe('[Ant] [ant] b[ant]')
    expect(marked('nothing', 'ant')).toBe('nothing')
    expect(marked('nothing', '')).toBe('nothing')
  })
  test('in text whose small letters are longer, not at all: the text stays whole', () => {
    expect(marked('İİİ ant', 'ant')).toBe('İİİ ant')
  })
  test('in a flood only at first, and the text stays whole', () => {
    const flood = 'a '.repeat(10_000)
    const pieces = piecesOf(flood, 'a')
    expect(pieces.length).toBeLessThan(500)
    expect(pieces.map((piece) => piece.text).join('')).toBe(flood)
  })
})
