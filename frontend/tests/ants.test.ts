import { describe, expect, test } from 'vitest'
import type { Header } from '../src/viewer/lines'
import viewer from '../../games/ants/viewer'

/** Five cells in a row: base of ada, eggs, nothing, crystal, base of bob. */
const INIT = {
  cells: [
    [0, 0, 0, 0],
    [1, 0, 1, 10],
    [2, 0, 0, 0],
    [3, 0, 2, 30],
    [4, 0, 0, 0],
  ] as [number, number, 0 | 1 | 2, number][],
  bases: [[0], [4]],
  ants: [
    [5, 0, 0, 0, 0],
    [0, 0, 0, 0, 5],
  ],
}
const HEADER = { v: 1, game: 'ants', init: INIT, players: [{ bot: 'ada' }, { bot: 'bob' }] } as Header<typeof INIT>
const QUIET = { m: [], h: [], b: [[], []], s: [0, 0] }

describe('an Ants replay', () => {
  test('begins with the header’s board', () => {
    const state = viewer.start(HEADER)
    expect(state.left).toEqual([0, 10, 0, 30, 0])
    expect(viewer.note!(state, HEADER)).toEqual(['5 ants', '5 ants'])
  })

  test('ants move, resources shrink, points are as written', () => {
    const state = viewer.step(
      viewer.start(HEADER),
      {
        ...QUIET,
        t: 1,
        m: [
          [0, 0, 1, 3],
          [1, 4, 3, 2],
        ],
        h: [[1, 3, 2, [3, 4]]],
        s: [0, 2],
      },
      HEADER,
    )
    expect(state.ants).toEqual([
      [2, 3, 0, 0, 0],
      [0, 0, 0, 2, 3],
    ])
    expect(state.left).toEqual([0, 10, 0, 28, 0])
    expect(viewer.score!(state, HEADER)).toEqual(['0', '2'])
  })

  test('moves and beacons may be texts: cells skipped, then ways and ants, or a strength', () => {
    const frame = { ...QUIET, t: 1, m: ['a3,', '4d2,'], b: [',1:7,,', ''], s: [0, 0] }
    const state = viewer.step(viewer.start(HEADER), frame, HEADER)
    expect(state.ants).toEqual([
      [2, 3, 0, 0, 0],
      [0, 0, 0, 2, 3],
    ])
    const rows = [0, 2, 3].map((cell) => {
      const view = { a: viewer.start(HEADER), header: HEADER, frame }
      return viewer.hit!(40 * Math.sqrt(3) * cell, 0, view as never)!.rows.at(-1)!.value
    })
    expect(rows).toEqual(['5 ants, beacon 1', '0 ants, beacon 7', '0 ants, beacon 7'])
  })

  test('a single ant is one', () => {
    const init = { ...INIT, ants: [[1, 0, 0, 0, 0], [0, 0, 0, 0, 5]] }
    const header = { ...HEADER, init }
    const state = viewer.step(viewer.start(header), { ...QUIET, t: 1, s: [1, 2] }, header)
    expect(viewer.note!(state, header)).toEqual(['1 ant', '5 ants'])
    expect(viewer.describe!(state, header)).toBe('ada has 1 point and 1 ant; bob has 2 points and 5 ants.')
    const tip = viewer.hit!(0, 0, { a: state, header, frame: { ...QUIET, t: 1 } } as never)
    expect(tip!.rows).toEqual([{ label: 'ada', value: '1 ant', player: 0 }])
  })

  test('a harvest takes no more than there is', () => {
    const state = viewer.step(viewer.start(HEADER), { ...QUIET, t: 1, h: [[0, 1, 8, [1, 0]], [1, 1, 8, [1, 4]]] }, HEADER)
    expect(state.left[1]).toBe(0)
  })

  test('eggs hatch on every base of the seat', () => {
    const twoBases = { ...HEADER, init: { ...INIT, bases: [[0, 2], [4]] } }
    const state = viewer.step(viewer.start(twoBases), { ...QUIET, t: 1, n: [4, 0] }, twoBases)
    expect(state.ants[0]).toEqual([9, 0, 4, 0, 0])
  })

  test('steps do not change the state before', () => {
    const before = viewer.start(HEADER)
    viewer.step(before, { ...QUIET, t: 1, m: [[0, 0, 1, 3]], n: [1, 1] }, HEADER)
    expect(before).toEqual(viewer.start(HEADER))
  })

  test('hatching and messages are marked', () => {
    const marks = viewer.marks!({ ...QUIET, t: 1, n: [9, 1], msg: ['', 'mine!'] }, HEADER)
    expect(marks).toEqual([
      { label: 'ada hatches 9 ants', player: 0 },
      { label: 'bob: mine!', player: 1 },
    ])
  })

  test('the tooltip tells everything about a cell', () => {
    const view = { a: viewer.start(HEADER), header: HEADER, frame: { ...QUIET, t: 0, b: [[[0, 7]], []] } }
    const tip = viewer.hit!(0, 0, view as never)
    expect(tip).toMatchObject({ title: 'Cell 0, base of ada', rows: [{ label: 'ada', value: '5 ants, beacon 7', player: 0 }] })
  })
})
