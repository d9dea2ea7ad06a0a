import { describe, expect, test } from 'vitest'
import type { Header } from '../src/viewer/lines'
import { caption } from '../../games/yavalath/caption'
import { PLACES, type Point } from '../../games/yavalath/state'
import { longestLine, threatsOf } from '../../games/yavalath/threats'
import viewer from '../../games/yavalath/viewer'

const HEADER = { v: 1, game: 'yavalath', init: {}, players: [{ bot: 'ada' }, { bot: 'bob' }] } as Header
type Move = Parameters<typeof viewer.step>[1]

const after = (...frames: Move[]): ReturnType<typeof viewer.start> =>
  frames.reduce((state, frame) => viewer.step(state, frame, HEADER), viewer.start(HEADER))

describe('a Yavalath replay', () => {
  test('puts stones on the board in turn', () => {
    const state = after({ t: 1, p: 0, x: 4, y: 4 }, { t: 2, p: 1, x: 3, y: 4 })
    expect(state.stones).toMatchObject([
      { seat: 0, x: 4, y: 4, turn: 1 },
      { seat: 1, x: 3, y: 4, turn: 2 },
    ])
    expect(viewer.score!(state, HEADER)).toEqual(['0', '0'])
    expect(viewer.note!(state, HEADER)).toEqual(['1 stone', '1 stone'])
  })

  test('a steal takes the stone that lies there', () => {
    const state = after({ t: 1, p: 0, x: 4, y: 4 }, { t: 2, p: 1, x: 4, y: 4, steal: true })
    expect(state.stones).toMatchObject([{ seat: 1, stolen: true }])
    expect(viewer.describe!(state, HEADER)).toBe('bob steals the stone at 4 4.')
  })

  test('the line of the last move is kept and named', () => {
    const line: [number, number][] = [
      [0, 0],
      [1, 0],
      [2, 0],
    ]
    const state = after({ t: 5, p: 0, x: 2, y: 0, line })
    expect(state.line).toEqual({ seat: 0, places: line })
    expect(viewer.describe!(state, HEADER)).toBe('ada plays 2 0. 3 in a row lose.')
    expect(viewer.score!(state, HEADER)).toEqual(['0', '1'])
    expect(viewer.note!(state, HEADER)).toEqual(['3 in a row lose', '0 stones'])
    expect(viewer.marks!({ t: 5, p: 0, x: 2, y: 0, line }, HEADER)).toEqual([{ label: 'ada: 3 in a row lose', player: 0 }])
  })

  test('a reply that is no move leaves the board as it was', () => {
    const state = after({ t: 1, p: 0, x: 4, y: 4 }, { t: 2, p: 1, bad: 'late' })
    expect(state.stones).toHaveLength(1)
    expect(viewer.score!(state, HEADER)).toEqual(['0', '-1'])
    expect(viewer.describe!(state, HEADER)).toBe('bob made no move: late.')
  })

  test('steps do not change the state before', () => {
    const before = after({ t: 1, p: 0, x: 4, y: 4 })
    viewer.step(before, { t: 2, p: 1, x: 0, y: 0 }, HEADER)
    expect(before.stones).toHaveLength(1)
  })
})

/** Stones from rows as in the statement: X of ada, O of bob. The last one in the list was played last. */
function board(rows: string[], last: 'X' | 'O'): ReturnType<typeof viewer.start> {
  const stones = rows.flatMap((row, y) =>
    row.trim().split(/\s+/).flatMap((mark, x) => (mark === '.' ? [] : [{ seat: mark === 'X' ? 0 : 1, x, y, turn: 1, stolen: false }])),
  )
  return { stones, last: { ...stones[0]!, seat: last === 'X' ? 0 : 1 }, line: null, bad: null }
}
const ROWS = [
  '    . . . . .',
  '   . . . . . .',
  '  . . . . . . .',
  ' . . . . . . . .',
  '. . X X . X . . .',
  ' . . . . . . . .',
  '  . . . . . . .',
  '   . . . . . .',
  '    . . . . .',
]

describe('threats', () => {
  test('are cells where a stone makes four; the other seat has to reply there', () => {
    const { wins, losses, mover, forced } = threatsOf(board(ROWS, 'X'))
    expect(wins).toEqual([[[4, 4]], []])
    expect(losses).toEqual([[[1, 4]], []])
    expect([mover, forced]).toEqual([1, [[4, 4]]])
    expect(caption(board(ROWS, 'X'), HEADER)).toEqual({ seat: 1, text: 'bob must play 4 4' })
  })

  test('whoever can win is forced to nothing', () => {
    const state = board(ROWS, 'O')
    expect(threatsOf(state).forced).toEqual([])
    expect(threatsOf(board(ROWS.with(7, '   . O O . O .'), 'O')).forced).toEqual([])
    expect(caption(state, HEADER)).toEqual({ seat: 0, text: 'ada can win at 4 4' })
  })

  test('a forced reply may make a three, and of two replies one is missing', () => {
    const three = ROWS.with(3, ' . . . . O . . .').with(2, '  . . . . O . .')
    expect(caption(board(three, 'X'), HEADER)!.text).toBe('bob must play 4 4, and makes a three')
    const two = ROWS.with(7, '   . X X . X .')
    expect(caption(board(two, 'X'), HEADER)!.text).toBe('bob cannot stop both 4 4 and 3 7')
  })

  test('lines run in three directions, also across the middle row, and not around the edge', () => {
    const line = (place: Point, ...owned: Point[]): number => longestLine(new Map(owned.map(([x, y]) => [`${x},${y}`, 0])), place, 0)
    expect(line([3, 3], [3, 4], [2, 5])).toBe(3)
    expect(line([3, 3], [4, 4], [4, 5])).toBe(3)
    expect(line([3, 3], [3, 2], [3, 1], [3, 0])).toBe(4)
    expect(line([3, 3], [2, 2], [1, 1], [0, 0])).toBe(4)
    expect(line([4, 0], [0, 1])).toBe(1)
    expect(line([3, 3], [1, 3])).toBe(1)
  })

  test('are none on an empty board, and after the end', () => {
    expect(threatsOf(viewer.start(HEADER)).wins).toEqual([[], []])
    const over = { ...board(ROWS, 'X'), bad: { seat: 1, why: 'late' } }
    expect(threatsOf(over).wins).toEqual([[], []])
    expect(PLACES).toHaveLength(61)
  })

  test('a steal has a word', () => {
    const state = after({ t: 1, p: 0, x: 4, y: 4 }, { t: 2, p: 1, x: 4, y: 4, steal: true })
    expect(caption(state, HEADER)).toEqual({ seat: 1, text: 'bob steals the first stone' })
  })
})
