import { describe, expect, test } from 'vitest'
import type { Header } from '../src/viewer/lines'
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
    expect(viewer.describe!(state, HEADER)).toBe('bob takes the stone at 4 4.')
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
