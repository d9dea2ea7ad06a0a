import { describe, expect, test } from 'vitest'
import { copiesWidth } from '../../games/battlegrounds/board'
import { logged } from '../../games/battlegrounds/events'
import { focus } from '../../games/battlegrounds/focus'
import type { BattleFrame, Init, State } from '../../games/battlegrounds/state'
import { territory } from '../../games/battlegrounds/territory'
import { tilePlaces } from '../../games/battlegrounds/tiles'
import viewer from '../../games/battlegrounds/viewer'
import type { Header } from '../src/viewer/lines'

/** An empty board, on which Life begins in turn 3. */
function headerOf(size: number, teams = 2): Header<Init> {
  const grid = btoa(String.fromCharCode(...new Uint8Array(Math.ceil((size * size) / 8))))
  const init = { size, grid, chute: 1, start: 1, main: 100 }
  const players = ['ada', 'bob', 'cyd', 'dan'].slice(0, teams).flatMap((bot) => Array.from({ length: 4 }, () => ({ bot })))
  return { v: 1, game: 'battlegrounds', team_seats: 4, init, players } as Header<Init>
}
type Landing = [seat: number, x: number, y: number][]

function after(header: Header<Init>, land: Landing, ...frames: Omit<BattleFrame, 't'>[]): State {
  const all = [{ pop: 0 }, { land, pop: land.length }, ...frames]
  return all.reduce((state, frame, i) => viewer.step(state, { ...frame, t: i + 1 }, header), viewer.start(header))
}
const texts = (state: State): string[] => state.log.map(({ text }) => text)

describe('what happens', () => {
  const header = headerOf(32)

  test('who dies with too few neighbours dies alone, with too many crowded; an opponent beside it is named', () => {
    const alone = after(header, [[0, 5, 5], [4, 20, 20]], { pop: 2 }, { hp: [[0, 0]], pop: 1 })
    expect(alone.bots[0]).toMatchObject({ diedAt: 4, cause: 'alone, 0 neighbours' })
    const built: BattleFrame['a'] = [[0, -1, -2, -3], [4, -1]]
    const crowded = after(header, [[0, 5, 5], [4, 6, 5]], { pop: 2 }, { a: built, hp: [[0, 0]], pop: 1 })
    expect(crowded.bots[0]!.cause).toBe('crowded, 4 neighbours, beside bob 2')
    expect(texts(crowded).at(-1)).toBe('ada 2 dies: crowded, 4 neighbours, beside bob 2')
  })

  test('a removal has its own cause', () => {
    const state = after(header, [[1, 5, 5], [4, 20, 20]], { rm: [1], pop: 1 })
    expect(state.bots[1]!.cause).toBe('removed for a fault')
    expect(texts(state)).toEqual(['The bots land', 'ada 3 is removed for a fault'])
  })

  test('hurts, healings and the parts of the match are listed; nothing else is', () => {
    const state = after(header, [[0, 5, 5], [4, 20, 20]], { pop: 2 }, { hp: [[0, 2]], z: [9, 9, 0], pop: 2 }, { hp: [[0, 3]], pop: 2 }, { pop: 2 })
    expect(texts(state)).toEqual(['The bots land', 'Life begins', 'The red zone opens', 'ada 2 is hurt, 2 hp left', 'ada 2 is healed to 3 hp'])
    expect(state.log.map(({ turn }) => turn)).toEqual([2, 4, 4, 4, 5])
    expect(viewer.describe!(after(header, [[0, 5, 5]], { pop: 1 }, { hp: [[0, 2]], pop: 1 }), header)).toContain('ada 2 is hurt')
  })

  test('only the last ones are kept', () => {
    const many = Array.from({ length: 30 }, (_, turn) => ({ turn, text: String(turn) }))
    expect(logged([], many).map(({ turn }) => turn)).toEqual([22, 23, 24, 25, 26, 27, 28, 29])
    expect(logged(many, [])).toBe(many)
  })
})

describe('the view that follows', () => {
  const header = headerOf(500)
  const middle = (box: { x: number; y: number; w: number; h: number } | null): number[] => [box!.x + box!.w / 2, box!.y + box!.h / 2]

  test('shows the whole board until the bots have landed', () => {
    expect(focus(viewer.start(header), header, null)).toBeNull()
  })

  test('goes where two teams meet rather than where most bots are', () => {
    const land: Landing = [[0, 100, 100], [1, 104, 100], [2, 102, 103], [3, 300, 300], [4, 306, 300]]
    expect(middle(focus(after(header, land, { pop: 5 }), header, null))).toEqual([303.5, 300.5])
  })

  test('stays where it is while no other place is better, and leaves when one is', () => {
    const even: Landing = [[0, 100, 100], [4, 104, 100], [1, 300, 300], [5, 304, 300], [2, 302, 302]]
    expect(middle(focus(after(header, even, { pop: 5 }), header, [101, 99]))[0]).toBe(102.5)
    const alone: Landing = [[0, 100, 100], [1, 300, 300], [5, 304, 300]]
    expect(middle(focus(after(header, alone, { pop: 3 }), header, [101, 99]))[0]).toBe(302.5)
  })

  test('takes the short way across the edge', () => {
    const land: Landing = [[0, 498, 10], [4, 4, 10]]
    const box = focus(after(header, land, { pop: 2 }), header, [990, 10])!
    expect(middle(box)).toEqual([1001.5, 10.5])
  })

  test('never shows more than the board, and on a wide front the nearest opponents', () => {
    const land: Landing = [0, 1, 2, 3].map((seat) => [seat, 100 + 18 * seat, 100])
    const chain: Landing = [...land, ...[4, 5, 6, 7].map((seat): Landing[number] => [seat, 100 + 18 * seat - 4, 100])]
    expect(middle(focus(after(header, chain, { pop: 8 }), header, null))[0]).toBe(161)
    const small = headerOf(30)
    expect(focus(after(small, [[0, 5, 5]], { pop: 1 }), small, null)).toMatchObject({ w: 30, h: 30 })
  })
})

describe('territory', () => {
  test('belongs to the nearest team, is deepest near its bots, and nobody’s far away and at the front', () => {
    const header = headerOf(500)
    const state = after(header, [[0, 110, 110], [4, 190, 110]], { pop: 2 })
    const { side, teams, depths } = territory(state, header)
    const at = (x: number, y: number): number => Math.floor(y / 20) * side + Math.floor(x / 20)
    expect([teams[at(110, 110)], teams[at(190, 110)], teams[at(400, 400)]]).toEqual([0, 1, -1])
    expect(depths[at(110, 110)]).toBeGreaterThan(depths[at(110, 150)]!)
    expect(depths[at(150, 110)]).toBe(0)
    expect(depths.every((depth) => depth >= 0 && depth <= 1)).toBe(true)
  })

  test('fades on both sides of a front', () => {
    const header = headerOf(500)
    const { side, teams, depths } = territory(after(header, [[0, 100, 110], [4, 190, 110]], { pop: 2 }), header)
    const square = 5 * side + 7
    expect(teams[square]).toBe(1)
    expect(depths[square]).toBeCloseTo((1 - 40 / 60) * (10 / 14))
  })

  test('reaches across the edge', () => {
    const header = headerOf(500)
    const { side, teams } = territory(after(header, [[4, 498, 250]], { pop: 1 }), header)
    expect(teams[12 * side]).toBe(1)
  })
})

describe('the stage', () => {
  test('has a tile for each bot, none over another, all above the foot', () => {
    for (const [teams, height] of [[2, 588], [4, 588], [4, 860]] as const) {
      const places = tilePlaces(headerOf(40, teams), height)
      expect(places).toHaveLength(4 * teams)
      expect(new Set(places.map(({ x, y }) => `${x},${y}`)).size).toBe(4 * teams)
      for (const { y, side } of places) expect(y + side + 15).toBeLessThan(height - 40)
    }
  })

  test('has no tiles where they would be too small to see', () => {
    expect(tilePlaces(headerOf(40, 4), 300)).toEqual([])
  })

  test('shows copies of the board on a sixth of it at most', () => {
    const header = headerOf(500)
    for (const [w, h] of [[1100, 515], [515, 900], [515, 530], [600, 600], [560, 590], [2000, 510], [900, 450], [450, 900]] as const) {
      const by = copiesWidth({ box: { x: 0, y: 0, w, h }, header })
      const [shownW, shownH] = [Math.min(w, 500 + 2 * by), Math.min(h, 500 + 2 * by)]
      const copies = shownW * shownH - Math.min(w, 500) * Math.min(h, 500)
      expect(copies / (w * h)).toBeLessThanOrEqual(1 / 6)
    }
  })
})
