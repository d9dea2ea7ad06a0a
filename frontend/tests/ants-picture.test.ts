import { describe, expect, test } from 'vitest'
import type { Header } from '../src/viewer/lines'
import { attackValues, contests, linksOf } from '../../games/ants/chains'
import { centre } from '../../games/ants/places'
import type { AntsFrame, Init, State } from '../../games/ants/state'
import { putAnt, standing, walksOf, wayOf, waysOf, type Ant, type Walk } from '../../games/ants/walks'
import viewer from '../../games/ants/viewer'

/** Six cells in a row, ada's base on the left, bob's on the right; crystal on cell 2. */
function headerOf(ada: number[], bob: number[], league = 4): Header<Init> {
  const cells = ada.map((_, q): Init['cells'][number] => [q, 0, q === 2 ? 2 : 0, q === 2 ? 20 : 0])
  const init: Init = { cells, bases: [[0], [ada.length - 1]], ants: [ada, bob] }
  return { v: 1, game: 'ants', league, init, players: [{ bot: 'ada' }, { bot: 'bob' }] } as Header<Init>
}
const frameOf = (change: Partial<AntsFrame>): AntsFrame => ({ t: 1, m: [], h: [], b: [[], []], s: [0, 0], ...change })

const HEADER = headerOf([5, 0, 3, 2, 0, 0], [0, 0, 4, 0, 0, 6])
const FRAME = frameOf({
  m: [
    [0, 0, 1, 3],
    [0, 2, 1, 1],
    [0, 2, 3, 2],
    [1, 5, 4, 6],
    [1, 2, 3, 1],
  ],
  n: [4, 0],
})

/** How many walks begin, or end, in each cell of a seat. */
function counted(walks: Walk[], seat: number, end: 'from' | 'to'): number[] {
  const counts = HEADER.init.cells.map(() => 0)
  for (const walk of walks) if (walk.seat === seat && walk[end]) counts[walk[end].cell]!++
  return counts
}

function antOn(walk: Walk, before: State, after: State, done: number): Ant {
  const ant = { x: NaN, y: NaN, heading: NaN }
  putAnt(ant, wayOf(walk, before, after, HEADER), done)
  return ant
}

describe('the walks of a turn', () => {
  const before = viewer.start(HEADER)
  const after = viewer.step(before, FRAME, HEADER)
  const walks = walksOf(before, FRAME, HEADER.init)

  test('have every ant of the state before once, and every ant of the state after once', () => {
    for (const seat of [0, 1]) {
      expect(counted(walks, seat, 'from')).toEqual(before.ants[seat])
      expect(counted(walks, seat, 'to')).toEqual(after.ants[seat])
    }
  })

  test('leave no slot of a cell free, and give none twice', () => {
    for (const [end, state] of [['from', before], ['to', after]] as [('from' | 'to'), State][]) {
      for (const seat of [0, 1]) {
        state.ants[seat]!.forEach((ants, cell) => {
          const slots = walks.filter((walk) => walk.seat === seat && walk[end]?.cell === cell).map((walk) => walk[end]!.slot)
          expect(slots.sort((a, b) => a - b)).toEqual(Array.from({ length: ants }, (_, slot) => slot))
        })
      }
    }
  })

  test('let new ants begin nowhere, on their base', () => {
    expect(walks.filter(({ from }) => from === null).map(({ to }) => to)).toEqual([2, 3, 4, 5].map((slot) => ({ cell: 0, slot })))
  })

  test('begin and end where the ants stand', () => {
    for (const walk of walks.filter(({ from }) => from !== null)) {
      const { seat, from, to } = walk
      const [x1, y1] = standing(before, HEADER, seat, from!.cell, from!.slot)
      const [x2, y2] = standing(after, HEADER, seat, to.cell, to.slot)
      expect(antOn(walk, before, after, 0)).toMatchObject({ x: x1, y: y1 })
      const last = antOn(walk, before, after, 1)
      expect([last.x, last.y]).toEqual([expect.closeTo(x2, 6), expect.closeTo(y2, 6)])
    }
  })

  test('are numbers all the way, and never far from both cells', () => {
    for (const done of [0, 0.1, 0.35, 0.5, 0.77, 0.99, 1]) {
      for (const walk of walks) {
        const ant = antOn(walk, before, after, done)
        expect([ant.x, ant.y, ant.heading].every(Number.isFinite)).toBe(true)
        const [x, y] = centre(HEADER.init, walk.to.cell)
        expect(Math.hypot(ant.x - x, ant.y - y)).toBeLessThan(120)
      }
    }
  })

  test('are made once a turn, anew for another frame or state', () => {
    const ways = waysOf(before, FRAME, after, HEADER)
    expect(ways).toHaveLength(walks.length)
    expect(waysOf(before, FRAME, after, HEADER)).toBe(ways)
    expect(waysOf(before, undefined, before, HEADER)).not.toBe(ways)
    expect(waysOf(before, undefined, before, HEADER).every(({ leaves, hatches }) => !leaves && !hatches)).toBe(true)
  })

  test('keep to the right, so that two streams pass each other', () => {
    const right = walks.find(({ from, to }) => from?.cell === 0 && to.cell === 1)!
    const straight = (walk: Walk, way: number): number => {
      const [, y1] = standing(before, HEADER, walk.seat, walk.from!.cell, walk.from!.slot)
      const [, y2] = standing(after, HEADER, walk.seat, walk.to.cell, walk.to.slot)
      return y1 + (y2 - y1) * way
    }
    const ant = antOn(right, before, after, 0.6)
    const [x1] = standing(before, HEADER, 0, 0, right.from!.slot)
    const [x2] = standing(after, HEADER, 0, 1, right.to.slot)
    expect(ant.y).toBeGreaterThan(straight(right, (ant.x - x1) / (x2 - x1)))
  })
})

describe('ants of both seats', () => {
  test('stand on their own sides of a cell, all within it', () => {
    const header = headerOf([9, 40, 0, 0], [0, 40, 0, 9])
    const state = viewer.start(header)
    const [x, y] = centre(header.init, 1)
    for (let slot = 0; slot < 40; slot++) {
      for (const seat of [0, 1]) {
        const [ax, ay] = standing(state, header, seat, 1, slot)
        expect(Math.hypot(ax - x, ay - y)).toBeLessThan(35)
      }
    }
    const middle = (seat: number): number =>
      Array.from({ length: 40 }, (_, slot) => standing(state, header, seat, 1, slot)[0]).reduce((a, b) => a + b, 0) / 40
    expect(middle(0)).toBeLessThan(x - 5)
    expect(middle(1)).toBeGreaterThan(x + 5)
  })
})

describe('attack values', () => {
  test('are the weakest link of the best chain to a base', () => {
    const header = headerOf([7, 5, 3, 4, 0, 0], [0, 0, 0, 4, 8, 5])
    expect(attackValues(viewer.start(header), header.init)).toEqual([
      [7, 5, 3, 3, 0, 0],
      [0, 0, 0, 4, 5, 5],
    ])
  })

  test('decide who cannot use a cell', () => {
    const header = headerOf([7, 5, 3, 4, 0, 0], [0, 0, 0, 4, 8, 5])
    expect(contests(viewer.start(header), header)).toEqual([{ cell: 3, values: [3, 4], share: 3 / 7, loser: 0 }])
  })

  test('break nothing if they are equal, or at a level without attack chains', () => {
    const equal = headerOf([4, 4, 4], [4, 4, 4])
    expect(contests(viewer.start(equal), equal).map(({ loser }) => loser)).toEqual([null, null, null])
    const low = headerOf([7, 5, 3, 4, 0, 0], [0, 0, 0, 4, 8, 5], 2)
    expect(contests(viewer.start(low), low)[0]!.loser).toBeNull()
  })

  test('without any chain, the ants share the cell by their numbers', () => {
    const header = headerOf([5, 0, 0, 6, 0, 0], [0, 0, 0, 2, 0, 5])
    expect(contests(viewer.start(header), header)).toEqual([{ cell: 3, values: [0, 0], share: 0.75, loser: null }])
  })
})

test('a link that several chains go through is as strong as the strongest', () => {
  const links = linksOf(frameOf({ h: [[0, 2, 5, [2, 1, 0]], [0, 3, 2, [3, 2, 1, 0]], [1, 3, 4, [3, 4, 5]]] }))
  expect(Object.fromEntries([...links].map(([name, { strength }]) => [name, strength]))).toEqual({
    '0:3:2': 2,
    '0:2:1': 5,
    '0:1:0': 5,
    '1:3:4': 4,
    '1:4:5': 4,
  })
})
