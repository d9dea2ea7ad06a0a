import { describe, expect, test } from 'vitest'
import { isAlive } from '../../games/battlegrounds/life'
import { act, type BattleFrame, type Init, type State } from '../../games/battlegrounds/state'
import viewer from '../../games/battlegrounds/viewer'
import type { Header } from '../src/viewer/lines'
import { Timeline } from '../src/viewer/timeline'

function packed(rows: string[]): string {
  const bytes = new Uint8Array(Math.ceil((rows.length * rows.length) / 8))
  ;[...rows.join('')].forEach((cell, i) => (bytes[i >> 3]! |= cell === '#' ? 1 << (i & 7) : 0))
  return btoa(String.fromCharCode(...bytes))
}
function headerOf(...rows: string[]): Header<Init> {
  const init = { size: rows.length, grid: packed(rows), chute: 1, start: 1, main: 100 }
  const players = ['ada', 'ada', 'bob', 'cyd', 'dan', 'dan', 'dan', 'dan'].map((bot) => ({ bot }))
  return { v: 1, game: 'battlegrounds', team_seats: 4, init, players } as Header<Init>
}
/** The neutral cells as `#`, living bots as the number of their seat. */
function picture(state: State, size: number): string[] {
  const places = Array.from({ length: size }, (_, i) => i)
  return places.map((y) =>
    places
      .map((x) => {
        const seat = state.bots.findIndex((bot) => bot && bot.hp > 0 && bot.x === x && bot.y === y)
        return seat >= 0 ? String(seat) : isAlive(state.cells, size, x, y) ? '#' : '.'
      })
      .join(''),
  )
}
/** The state after frames, numbered from turn 1. */
function after(header: Header<Init>, ...frames: Omit<BattleFrame, 't'>[]): State {
  return frames.reduce((state, frame, i) => viewer.step(state, { ...frame, t: i + 1 }, header), viewer.start(header))
}
const ALL: [number, number, number][] = [0, 1, 2, 3, 4, 5, 6, 7].map((seat) => [seat, seat, 7])
const EMPTY = Array<string>(8).fill('........')

describe('a Battlegrounds replay', () => {
  test('bots aim, and land on what was there', () => {
    const header = headerOf('........', '........', '........', '........', '........', '........', '........', '#..#....')
    const aiming = after(header, { pop: 2 }, { aim: [[0, 3, 3], [1, 4, 4]], pop: 2 })
    expect(aiming.aims.slice(0, 3)).toEqual([[3, 3], [4, 4], null])
    const landed = after(header, { pop: 2 }, { aim: [[0, 3, 3]], land: ALL, pop: 8 })
    expect(picture(landed, 8)).toEqual([...EMPTY.slice(0, 7), '01234567'])
    expect(landed.drift).toBeNull()
    expect(viewer.note!(landed, header)).toEqual(['4 bots, 16 health', '4 bots, 16 health'])
    expect(viewer.score!(landed, header)).toEqual(['0', '0'])
    const later = viewer.step(viewer.step(landed, { t: 3, hp: [[0, 0], [1, 0], [2, 0], [3, 0]], pop: 8 }, header), { t: 4, pop: 8 }, header)
    expect(viewer.score!(later, header)).toEqual(['1', '2'])
  })

  test('a bot that was removed before it landed has no turns', () => {
    const header = headerOf(...EMPTY)
    const state = after(header, { rm: [4, 5, 6, 7], pop: 0 }, { land: ALL.slice(0, 4), pop: 4 }, { pop: 4 }, { pop: 4 })
    expect(viewer.score!(state, header)).toEqual(['2', '0'])
  })

  test('an aim may be taken back', () => {
    const state = after(headerOf(...EMPTY), { pop: 0 }, { aim: [[0, 3, 3]], pop: 0 }, { aim: [[0, null, null]], pop: 0 })
    expect(state.aims[0]).toBeNull()
  })

  test('actions run round by round; steps wrap, leave a dead cell and trample a live one', () => {
    const state = after(
      headerOf(...EMPTY),
      { pop: 0 },
      { land: [[0, 0, 0], [4, 2, 0]], pop: 2 },
      { a: [[4, -4, 4], [0, 4, 9]], pop: 2 },
    )
    // Seat 4 builds at 1,0; seat 0 steps to 7,0; seat 4 steps onto its cell; seat 0 steps to 0,1.
    expect(picture(state, 8).slice(0, 2)).toEqual(['.4......', '0.......'])
    expect(state.drift).toBeNull()
  })

  test('Life goes on once the starting phase is over, with bots as live cells that it cannot kill', () => {
    const header = headerOf('........', '.##.....', '.#......', '........', '........', '........', '........', '........')
    const state = after(header, { pop: 3 }, { land: [[0, 5, 5]], pop: 4 }, { pop: 4 }, { hp: [[0, 3]], pop: 5 })
    expect(picture(state, 8)).toEqual([EMPTY[0], '.##.....', '.##.....', EMPTY[0], EMPTY[0], '.....0..', EMPTY[0], EMPTY[0]])
    expect(state.bots[0]!.hp).toBe(3)
    expect(state.drift).toBeNull()
  })

  test('a bot is carried into the cell that is born, and its own cell dies', () => {
    const header = headerOf('........', '.##.....', '.#......', '........', '........', '........', '........', '........')
    const state = after(header, { pop: 3 }, { land: [[0, 3, 3]], pop: 4 }, { pop: 4 }, { mv: [[0, 2, 2]], pop: 4 })
    expect(picture(state, 8).slice(0, 4)).toEqual(['........', '.##.....', '.#0.....', '........'])
    expect(state.drift).toBeNull()
  })

  test('a bot without hp dies, one with a fault is removed, and their cells are dead', () => {
    const state = after(
      headerOf(...EMPTY),
      { pop: 0 },
      { land: [[0, 1, 1], [1, 5, 5]], pop: 2 },
      { rm: [1], pop: 1 },
      { hp: [[0, 0]], pop: 0 },
    )
    expect(picture(state, 8)).toEqual(EMPTY)
    expect(state.bots.map((bot) => bot?.diedAt)).toEqual([4, 3, ...Array(6).fill(undefined)])
    expect(state.drift).toBeNull()
  })

  test('gliders of the red zone come after the generation', () => {
    const state = after(headerOf(...EMPTY), { pop: 0 }, { pop: 0 }, { pop: 0 }, { z: [4, 4, 0], g: [[4, 4], [5, 4]], pop: 2 })
    expect(picture(state, 8)[4]).toBe('....##..')
    expect(state.drift).toBeNull()
  })

  test('built-in messages are shown in words, others as they are', () => {
    const state = after(headerOf(...EMPTY), { pop: 0 }, { land: ALL, pop: 8 }, { c: [[0, '1'], [2, 'to 3,4']], pop: 8 })
    expect(state.said.slice(0, 3)).toEqual([{ text: 'Help!', turn: 3 }, null, { text: 'to 3,4', turn: 3 }])
  })

  test('steps do not change the state before', () => {
    const header = headerOf(...EMPTY)
    const before = after(header, { pop: 0 }, { land: ALL, pop: 8 })
    const copy = structuredClone(before)
    viewer.step(before, { t: 3, a: [[0, 2, -8]], rm: [1], hp: [[2, 1]], c: [[3, '2']], pop: 8 }, header)
    expect(before).toEqual(copy)
  })

  test('a wrong count is reported, and a keyframe heals it', () => {
    const header = headerOf(...EMPTY)
    const wrong = after(header, { pop: 0 }, { land: [[0, 1, 1]], pop: 1 }, { pop: 2 }, { pop: 2 })
    expect(wrong.drift).toBe(3)
    expect(viewer.describe!(wrong, header)).toContain('not exact')
    const frame = { t: 4, pop: 2, k: { grid: packed(['.##.....', ...EMPTY.slice(1)]), bots: [[1, 0, 2] as [number, number, number]] } }
    const healed = viewer.key!(frame, header, wrong)!
    expect(healed.drift).toBeNull()
    expect(picture(healed, 8)[0]).toBe('.0#.....')
    const right = { ...wrong, drift: null }
    expect(viewer.key!(frame, header, right)).toBe(right)
    expect(viewer.key!({ t: 4, pop: 2 }, header)).toBeNull()
  })

  test('a far jump begins at a keyframe', () => {
    const header = headerOf(...EMPTY)
    const timeline = new Timeline(header, viewer)
    const block = packed(['##......', '##......', ...EMPTY.slice(2)])
    for (let t = 1; t <= 90; t++) timeline.push({ t, pop: 4, ...(t === 50 ? { k: { grid: block, bots: [] } } : {}) })
    expect(picture(timeline.at(90), 8)[0]).toBe('##......')
    expect(timeline.at(90).drift).toBeNull()
    expect(timeline.at(49).drift).toBe(1)
  })

  test('the curve tells the hp of each team; who does not land has none', () => {
    const header = headerOf(...EMPTY)
    const frames: BattleFrame[] = [
      { t: 1, pop: 0 },
      { t: 2, land: ALL.slice(1), pop: 7 },
      { t: 3, pop: 7, hp: [[1, 2]] },
      { t: 4, pop: 6, rm: [4] },
    ]
    expect(viewer.curve!(frames, header)).toEqual([
      [16, 16, 12, 10, 10],
      [16, 16, 16, 16, 12],
    ])
  })

  test('deaths, removals and the red zone are marked', () => {
    const header = headerOf(...EMPTY)
    const marks = viewer.marks!({ t: 40, pop: 0, hp: [[0, 0], [1, 3]], rm: [6], z: [1, 1, 0] }, header)
    expect(marks).toEqual([
      { label: 'The red zone opens' },
      { label: 'dan, bot 4 is removed', player: 6 },
      { label: 'ada, bot 2 dies', player: 0 },
    ])
  })

  test('the tooltip tells what a bot did and said', () => {
    const header = headerOf(...EMPTY)
    const a = after(header, { pop: 0 }, { land: ALL, pop: 8 }, { a: [[2, 2, 0, -8]], c: [[2, '7']], pop: 9 })
    const frame = { t: 3, a: [[2, 2, 0, -8]], c: [[2, '7']], pop: 9 }
    const box = { x: 0, y: 0, w: 8, h: 8 }
    const tip = viewer.hit!(2.5, 6.5, { a, header, frame, zoom: 40, box } as never)
    expect(tip).toMatchObject({
      title: 'bob, bot 4',
      rows: [
        { label: '2, 6', value: '4 of 4 hp', player: 2 },
        { label: 'Live neighbours', value: '3' },
        { label: 'Did', value: '↑ · +↓' },
        { label: 'Said', value: 'I’ll build' },
      ],
    })
  })

  test('who acts learns each action and its place', () => {
    const bots = [{ x: 0, y: 0, hp: 4 }]
    const done: number[][] = []
    act(bots, { t: 1, a: [[0, 1, -6]], pop: 0 }, 8, (...all) => done.push(all))
    expect(done).toEqual([
      [0, 1, 7, 7, 0],
      [0, -6, 0, 7, 1],
    ])
  })

  test('places with bots of several teams are worth a look first; they wrap, too', () => {
    const header = headerOf(...Array<string>(200).fill('.'.repeat(200)))
    const land: [number, number, number][] = [[0, 100, 100], [1, 103, 98], [2, 106, 101], [3, 198, 50], [4, 3, 55]]
    const state = after(header, { pop: 0 }, { land, pop: 5 })
    expect(viewer.spots!(state, header)).toEqual([
      { x: 184, y: 36, w: 34, h: 34 },
      { x: 86, y: 84, w: 35, h: 32 },
    ])
  })
})
