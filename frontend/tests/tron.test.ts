import { describe, expect, test } from 'vitest'
import type { Header } from '../src/viewer/lines'
import { ask } from '../../games/tron/ask'
import { caption } from '../../games/tron/caption'
import { CELL, centre } from '../../games/tron/places'
import { headOf, type Init, type Point, type State, type TronFrame } from '../../games/tron/state'
import { NOBODY, SEVERAL, territoryOf } from '../../games/tron/territory'
import viewer from '../../games/tron/viewer'

const header = (w: number, h: number, ...start: Point[]): Header<Init> =>
  ({ v: 1, game: 'tron', init: { w, h, start }, players: [{ bot: 'ada' }, { bot: 'bob' }, { bot: 'cid' }].slice(0, start.length) }) as Header<Init>
const HEADER = header(6, 4, [0, 0], [5, 0], [2, 3])

const after = (head: Header<Init>, ...frames: TronFrame[]): State =>
  frames.reduce((state, frame) => viewer.step(state, frame, head), viewer.start(head))

describe('a Tron replay', () => {
  test('trails grow a cell a turn', () => {
    const state = after(HEADER, { t: 1, m: 'DDU' }, { t: 2, m: 'RDU' })
    expect(state.trails).toEqual([
      [[0, 0], [0, 1], [1, 1]],
      [[5, 0], [5, 1], [5, 2]],
      [[2, 3], [2, 2], [2, 1]],
    ])
    expect(viewer.score!(state, HEADER)).toEqual(['2', '2', '2'])
    expect(viewer.describe!(state, HEADER)).toBe('ada, bob and cid ride.')
  })

  test('who crashes is out, and the trail is gone', () => {
    const crash: TronFrame = { t: 2, m: 'LDU', x: [{ p: 0, by: 'wall' }] }
    const state = after(HEADER, { t: 1, m: 'DDU' }, crash)
    expect(state.trails.map((trail) => trail.length)).toEqual([0, 3, 3])
    expect(state.crashes[0]).toEqual({ seat: 0, cause: 'wall', others: [], turn: 2, at: [0, 1], aim: [-1, 1] })
    expect(headOf(state, 0)).toBeNull()
    expect(viewer.score!(state, HEADER)).toEqual(['1', '2', '2'])
    expect(viewer.note!(state, HEADER)[0]).toBe('out')
    expect(viewer.describe!(state, HEADER)).toBe('ada rode into the wall. bob and cid ride.')
    expect(viewer.marks!(crash, HEADER)).toEqual([{ label: 'ada rode into the wall', player: 0 }])
    const later = viewer.step(state, { t: 3, m: '.LU' }, HEADER)
    expect([later.trails[0], viewer.score!(later, HEADER)[0]]).toEqual([[], '1'])
  })

  test.each([
    [{ p: 0, by: 'trail', of: [0] } as const, 'ada rode into its own trail'],
    [{ p: 0, by: 'trail', of: [1] } as const, 'ada rode into the trail of bob'],
    [{ p: 0, by: 'meeting', of: [1, 2] } as const, 'ada met bob and cid on one cell'],
    [{ p: 0, by: 'fault' } as const, 'ada gave no valid direction'],
  ])('says what %j means', (crash, words) => {
    const frame: TronFrame = { t: 1, m: 'RDU', x: [{ ...crash, of: 'of' in crash ? [...crash.of] : undefined }] }
    expect(caption(after(HEADER, frame), HEADER)).toEqual({ seat: 0, text: words })
  })

  test('a step changes no state', () => {
    const before = after(HEADER, { t: 1, m: 'DDU' })
    const copy = structuredClone(before)
    viewer.step(before, { t: 2, m: 'RDU', x: [{ p: 1, by: 'wall' }] }, HEADER)
    expect(before).toEqual(copy)
  })
})

describe('territory', () => {
  test('is what a cycle reaches first; what several reach in one turn is nobody’s', () => {
    const head = header(5, 1, [0, 0], [4, 0])
    const found = territoryOf(viewer.start(head), head.init)
    expect([...found.owners]).toEqual([NOBODY, 0, SEVERAL, 1, NOBODY])
    expect([...found.turns]).toEqual([0, 1, 2, 1, 0])
    expect([found.counts, found.apart]).toEqual([[1, 1], false])
  })

  test('cycles behind a trail are apart, and the caption counts their cells', () => {
    const head = header(5, 3, [2, 0], [4, 0])
    const state = after(head, { t: 1, m: 'DD' }, { t: 2, m: 'DD' }, { t: 3, m: 'LL' })
    const { apart, counts } = territoryOf(state, head.init)
    expect([apart, counts]).toEqual([true, [5, 2]])
    expect(caption(state, head)).toEqual({ seat: 0, text: 'Apart: ada has 5 cells and bob has 2 cells' })
    const narrow = header(6, 1, [2, 0], [3, 0])
    expect(caption(after(narrow, { t: 1, m: 'LR' }), narrow)!.text).toBe('Apart: ada has 1 cell and bob has 1 cell')
  })

  test('the seek bar has a value for each seat before the first turn and after each', () => {
    expect(viewer.curve!([{ t: 1, m: 'RL' }], header(6, 1, [0, 0], [5, 0]))).toEqual([[2, 1], [2, 1]])
  })
})

describe('in person', () => {
  const asked = { state: viewer.start(HEADER), seat: 0, header: HEADER }
  const nothing = { tool: '', picked: [], commands: [] }

  test('arrow keys steer, other keys are left to the page', () => {
    expect(ask.key!(nothing, 'ArrowLeft', asked)).toEqual({ ...nothing, commands: ['LEFT'] })
    expect(ask.key!(nothing, 'z', asked)).toBeNull()
  })

  test('a click leads towards where it is', () => {
    expect(ask.point(nothing, [5 * CELL, 1 * CELL], asked).commands).toEqual(['RIGHT'])
    expect(ask.point(nothing, [1 * CELL, 3 * CELL], asked).commands).toEqual(['DOWN'])
  })

  test('only free cells are offered', () => {
    expect(ask.places(nothing, asked)).toEqual([centre([0, 1]), centre([1, 0])])
    expect(ask.prompt(nothing, asked)).toContain('Free: DOWN, RIGHT.')
    const shut = header(2, 1, [0, 0], [1, 0])
    expect(ask.prompt(nothing, { state: viewer.start(shut), seat: 0, header: shut })).toContain('your last move')
  })
})

test('the tooltip says whose a cell is, and who gets there first', () => {
  const state = after(HEADER, { t: 1, m: 'DDU' })
  const tip = (at: Point): unknown => viewer.hit!(...centre(at), { a: state, header: HEADER } as Parameters<NonNullable<typeof viewer.hit>>[2])
  expect(tip([0, 0])).toMatchObject({ title: 'x 0, y 0', rows: [{ label: 'ada', value: 'started here', player: 0 }] })
  expect(tip([0, 1])).toMatchObject({ rows: [{ label: 'ada', value: 'is here' }] })
  expect(tip([1, 1])).toMatchObject({ rows: [{ label: 'ada first', value: 'in 1 turn' }] })
  expect(tip([9, 9])).toBeNull()
})
