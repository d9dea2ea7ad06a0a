import { describe, expect, test } from 'vitest'
import type { Header } from '../src/viewer/lines'
import { codesOf, linkable, movesOf, neighboursOf, ownerOf, stages, type Init, type State, type TryFrame } from '../../games/tryangle/state'
import { pictureOf, sizeAt, unitsPlace } from '../../games/tryangle/picture'
import viewer from '../../games/tryangle/viewer'

/** Two triangles side by side, 0 1 2 and 1 2 3, and house 4 at the end of a path from 3. */
function headerOf(change: Partial<Init> = {}): Header<Init> {
  const init: Init = {
    houses: [[100, 100], [300, 100], [200, 300], [400, 300], [600, 300]],
    paths: [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [3, 4]],
    units: [
      [2, 1, 1, 0, 0],
      [0, 0, 0, 1, 3],
    ],
    triangles: [[0, 1, 2, 4], [1, 2, 3, 3]],
    s: [1, 0],
    ...change,
  }
  return { v: 1, game: 'tryangle', init, players: [{ bot: 'ada' }, { bot: 'bob' }] } as Header<Init>
}
/** The state after one turn. */
function after(frame: Omit<TryFrame, 't'>, header = headerOf()): State {
  return viewer.step(viewer.start(header), { t: 1, ...frame }, header)
}
const owners = ({ triangles }: State): (number | null)[] => triangles.map(({ owner }) => owner)

describe('a TryAngle Catch replay', () => {
  test('begins with the header’s board', () => {
    const header = headerOf({ triangles: [[0, 1, 2, 5], [1, 2, 3, 2]] })
    const { triangles } = viewer.start(header)
    expect(triangles).toEqual([
      { corners: [0, 1, 2], owner: 1, may: [true, false] },
      { corners: [1, 2, 3], owner: null, may: [false, true] },
    ])
    expect(viewer.score!(viewer.start(header), header)).toEqual(['1', '0'])
    expect(viewer.note!(viewer.start(header), header)).toEqual(['0/2 △, 4 units', '1/2 △, 4 units'])
  })

  test('units move to neighbours, both seats’ at once', () => {
    // House 0 has neighbours 1 2, house 3 has 1 2 4, house 4 has 3.
    expect(after({ m: ['01', ',,,2,00'] }).units).toEqual([
      [0, 2, 2, 0, 0],
      [0, 0, 0, 2, 2],
    ])
  })

  test('an attack costs a unit on each corner, kills all at the house, and frees the triangle', () => {
    const state = after({ a: [[0, 0, 3, 1]], o: '02', s: [0, 0] })
    expect(state.units).toEqual([
      [1, 0, 0, 0, 0],
      [0, 0, 0, 0, 3],
    ])
    expect(state.triangles[0]).toEqual({ corners: [0, 1, 2], owner: null, may: [false, true] })
  })

  test('a triangle is paid with what is left', () => {
    expect(after({ a: [[1, 1, 0, 2], [1, 1, 1, 1]] }).units).toEqual([
      [0, 0, 1, 0, 0],
      [0, 0, 0, 0, 3],
    ])
  })

  test('a new unit comes at no cost', () => {
    expect(after({ n: [[0, 0, 2]], o: '02' }).units[0]).toEqual([2, 1, 2, 0, 0])
  })

  test('paths that come and go change the list of triangles', () => {
    const added = after({ p: [[0, 0, 2, 4]], w: [[2, 3, 4]] })
    expect(added.paths).toContainEqual([2, 4])
    expect(added.triangles.map(({ corners }) => corners)).toEqual([[0, 1, 2], [1, 2, 3], [2, 3, 4]])
    expect(added.triangles[2]!.may).toEqual([true, true])
    const removed = after({ r: [[0, 0, 2, 1]], g: [0, 1], o: '' })
    expect(removed.paths).not.toContainEqual([1, 2])
    expect(removed.triangles).toEqual([])
  })

  test('codes are of positions after the turn', () => {
    const state = after({ p: [[0, 0, 0, 3]], w: [[0, 1, 3], [0, 2, 3]], o: '0235' })
    expect(state.triangles.map(({ corners }) => String(corners))).toEqual(['0,1,2', '0,1,3', '0,2,3', '1,2,3'])
    expect(owners(state)).toEqual([null, null, null, 1])
  })

  test('surrounded units die, and scores are added', () => {
    const state = after({ k: [[1, 4, 3]], s: [1, -1] })
    expect(state.units[1]).toEqual([0, 0, 0, 1, 0])
    expect(state.scores).toEqual([2, -1])
  })

  test('steps do not change the state before', () => {
    const header = headerOf()
    const before = viewer.start(header)
    const copy = structuredClone(before)
    const init = structuredClone(header.init)
    const frame: TryFrame = { t: 1, a: [[0, 0, 3, 1]], m: ['0'], n: [[0, 0, 1]], p: [[0, 0, 0, 3]], w: [[0, 1, 3]], k: [[1, 4, 3]], o: '02' }
    viewer.step(before, frame, header)
    expect(before).toEqual(copy)
    expect(header.init).toEqual(init)
  })

  test('a turn’s stages are those in which something happens, in the order of the rules', () => {
    const before = viewer.start(headerOf())
    const frame: TryFrame = { t: 1, o: '15', m: ['', ',,,2'], a: [[0, 0, 4, 3]] }
    const found = stages(before, frame)
    expect(found.map(({ kind }) => kind)).toEqual(['attack', 'move', 'capture'])
    expect(found[0]!.after.units[1]).toEqual([0, 0, 0, 1, 0])
    expect(found[1]!.after.units[1]).toEqual([0, 0, 0, 0, 1])
    expect(found[2]!.after.triangles[1]!.owner).toBe(1)
  })

  test('the curve is of scores; being put out does not take them', () => {
    const frames = [{ t: 1, s: [2, 1] }, { t: 2 }, { t: 3, s: [-4, 3] }]
    expect(viewer.curve!(frames, headerOf())).toEqual([
      [1, 3, 3, 3],
      [0, 1, 1, 4],
    ])
  })

  test('kills and paths are marked', () => {
    const marks = viewer.marks!({ t: 1, a: [[0, 0, 3, 1], [1, 1, 0, 0]], k: [[1, 4, 3]], r: [[1, 1, 2, 3]] }, headerOf())
    expect(marks).toEqual([
      { label: 'ada attacks house 3, 1 unit killed', player: 0 },
      { label: 'ada surrounds 3 units at house 4', player: 0 },
      { label: 'bob removes the path 2–3', player: 1 },
    ])
  })

  test('tooltips tell about houses and triangles', () => {
    const header = headerOf()
    const view = { a: viewer.start(header), header, zoom: 1 }
    expect(viewer.hit!(590, 295, view as never)).toMatchObject({
      title: 'House 4',
      rows: [
        { label: 'bob', value: '3 units', player: 1 },
        { label: 'Owner', value: 'bob, surrounds it' },
        { label: 'Paths to', value: '3' },
      ],
    })
    expect(viewer.hit!(200, 170, view as never)).toMatchObject({
      title: 'Triangle 0 1 2',
      rows: [
        { label: 'Owner', value: 'ada', player: 0 },
        { label: 'May capture', value: 'bob', player: 1 },
      ],
    })
    expect(viewer.hit!(20, 900, view as never)).toBeNull()
  })
})

describe('packed texts', () => {
  test('of moves have a group for each house', () => {
    const neighbours = [[4, 7, 9], [0], [3]]
    expect(movesOf([',0', '002'], neighbours)).toEqual([
      { seat: 0, from: 1, to: 0, units: 1 },
      { seat: 1, from: 0, to: 4, units: 2 },
      { seat: 1, from: 0, to: 9, units: 1 },
    ])
  })

  test('of codes have two characters a triangle', () => {
    expect(codesOf('04:5')).toEqual([[0, 4], [10, 5]])
  })
})

describe('the map', () => {
  test('neighbours are in ascending order; a path may lead from a house to itself', () => {
    expect(neighboursOf([[0, 2], [0, 1], [1, 1]], 3)).toEqual([[1, 2], [0, 1], [0]])
  })

  test('surrounding beats a majority', () => {
    const board = { paths: [], triangles: [], units: [[0, 2, 1], [5, 1, 0]] }
    expect(ownerOf(board, 0, [1, 2])).toEqual({ seat: 0, surrounds: true })
    expect(ownerOf(board, 0, [])).toEqual({ seat: 1, surrounds: false })
  })

  test('a path can be where none is, that is not too long and crosses none', () => {
    const { init } = headerOf()
    expect(linkable(init, init.paths)).toEqual([[1, 4], [2, 4]])
  })
})

describe('the picture', () => {
  const header = headerOf()
  const moment = (k: number, next?: TryFrame) => {
    const a = viewer.start(header)
    const view = { a, b: a, k, next, header, theme: {}, zoom: 0.58 }
    return pictureOf({} as CanvasRenderingContext2D, view as never)
  }

  test('houses are at least 36 pixels wide on a stage as high as that of a small laptop', () => {
    for (const zoom of [0.55, 0.6, 1, 3]) expect(sizeAt(zoom) * zoom).toBeGreaterThanOrEqual(36)
  })

  test('units stand beside their house, each seat on its side, and those of two houses do not meet', () => {
    const picture = moment(0)
    const [x] = header.init.houses[1]!
    const [left] = unitsPlace(picture, 1, 0)
    const [right] = unitsPlace(picture, 1, 1)
    expect(x - left).toBe(right - x)
    expect(x - left).toBeGreaterThan(picture.size / 2)
    // Two houses side by side are 140 apart at least.
    expect(2 * (right - x) + picture.size).toBeLessThan(150)
  })

  test('walks through the stages of a turn', () => {
    const frame: TryFrame = { t: 1, o: '15', m: ['', ',,,2'], a: [[0, 0, 4, 3]] }
    const seen = [0, 0.05, 0.5, 0.95].map((k) => moment(k, frame))
    expect(seen.map(({ stage }) => stage?.kind)).toEqual([undefined, 'attack', 'move', 'capture'])
    for (const { done } of seen) expect(done >= 0 && done < 1).toBe(true)
    expect(seen[2]!.board.units[1]).toEqual([0, 0, 0, 1, 0])
    expect(seen[3]!.after.triangles[1]!.owner).toBe(1)
  })
})
