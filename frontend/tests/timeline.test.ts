import { describe, expect, test } from 'vitest'
import type { GameViewer } from '../src/viewer/game'
import type { Frame, Header } from '../src/viewer/lines'
import { Timeline } from '../src/viewer/timeline'

interface Count {
  value: number
}
interface Add extends Frame {
  add: number
}

const HEADER = { v: 1, game: 'sum', init: {} } as Header

/** A game that adds up, and notes which turns it was asked to step. */
function sumGame(every?: number): { game: GameViewer<unknown, Add, Count>; stepped: number[] } {
  const stepped: number[] = []
  const game: GameViewer<unknown, Add, Count> = {
    rate: 1,
    every,
    start: () => ({ value: 0 }),
    step: (before, frame) => {
      stepped.push(frame.t)
      return { value: before.value + frame.add }
    },
    bounds: () => ({ x: 0, y: 0, w: 1, h: 1 }),
    draw: () => {},
  }
  return { game, stepped }
}
function timelineOf(turns: number, every?: number): { timeline: Timeline<unknown, Add, Count>; stepped: number[] } {
  const { game, stepped } = sumGame(every)
  const timeline = new Timeline(HEADER, game)
  for (let t = 1; t <= turns; t++) timeline.push({ t, add: t })
  return { timeline, stepped }
}

describe('a timeline', () => {
  test('gives the state of any turn', () => {
    const { timeline } = timelineOf(10)
    expect(timeline.at(0).value).toBe(0)
    expect(timeline.at(4).value).toBe(10)
    expect(timeline.at(10).value).toBe(55)
    expect(timeline.at(2).value).toBe(3)
  })

  test('moves turns outside to the nearest', () => {
    const { timeline } = timelineOf(3)
    expect(timeline.at(-5).value).toBe(0)
    expect(timeline.at(99).value).toBe(6)
  })

  test('steps each turn once when all states are kept', () => {
    const { timeline, stepped } = timelineOf(50)
    timeline.at(50)
    timeline.at(20)
    timeline.at(50)
    expect(stepped).toHaveLength(50)
  })

  test('steps at most to the next kept state when few are kept', () => {
    const { timeline, stepped } = timelineOf(100, 10)
    timeline.at(100)
    stepped.length = 0
    expect(timeline.at(37).value).toBe(703)
    expect(stepped).toEqual([31, 32, 33, 34, 35, 36, 37])
  })

  test('takes more frames while it is read', () => {
    const { timeline } = timelineOf(2)
    expect(timeline.at(9).value).toBe(3)
    timeline.push({ t: 3, add: 3 })
    expect(timeline.last).toBe(3)
    expect(timeline.at(9).value).toBe(6)
  })

  test('prepares states while there is time, without stepping a turn twice', () => {
    const { timeline, stepped } = timelineOf(100, 10)
    while (timeline.prepare());
    expect(stepped).toHaveLength(100)
    stepped.length = 0
    expect(timeline.at(99).value).toBe(4950)
    expect(stepped).toEqual([91, 92, 93, 94, 95, 96, 97, 98, 99])
  })

  test('has nothing to prepare where all states are kept', () => {
    expect(timelineOf(100).timeline.prepare()).toBe(false)
  })

  test('prepares up to the last state that is kept, no further', () => {
    const { timeline, stepped } = timelineOf(20, 10)
    expect([timeline.prepare(), timeline.prepare(), timeline.prepare()]).toEqual([true, false, false])
    expect(stepped).toHaveLength(20)
  })

  test('keeps the last few states between those that it always keeps', () => {
    const { timeline, stepped } = timelineOf(100, 50)
    timeline.at(20)
    stepped.length = 0
    timeline.at(20)
    expect(stepped).toEqual([])
    timeline.at(40)
    stepped.length = 0
    timeline.at(20)
    expect(stepped).toHaveLength(20)
  })

  test('a state that is asked for again stays among the last few', () => {
    const { timeline, stepped } = timelineOf(100, 50)
    for (const turn of [3, 4, 3, 5, 3, 6, 3, 7, 3, 8, 3, 9]) timeline.at(turn)
    stepped.length = 0
    timeline.at(3)
    expect(stepped).toEqual([])
  })

  test('preparing leaves the last states alone that were stepped to', () => {
    const { timeline, stepped } = timelineOf(100, 50)
    timeline.at(20)
    timeline.prepare()
    stepped.length = 0
    timeline.at(20)
    expect(stepped).toEqual([])
  })
})

describe('frames that hold a whole state', () => {
  /** Every 50th frame holds the sum; `played` remembers that it was stepped to. */
  function keyed(): { timeline: Timeline<unknown, Add, Count>; stepped: number[] } {
    const { game, stepped } = sumGame(10)
    game.key = ({ t }, _, played) => (t % 50 ? null : (played ?? { value: (t * (t + 1)) / 2 }))
    const timeline = new Timeline(HEADER, game)
    for (let t = 1; t <= 200; t++) timeline.push({ t, add: t })
    return { timeline, stepped }
  }

  test('are where a far jump begins', () => {
    const { timeline, stepped } = keyed()
    expect(timeline.at(163).value).toBe(13366)
    expect(stepped[0]).toBe(151)
    stepped.length = 0
    timeline.at(163)
    expect(stepped).toEqual([])
  })

  test('are not used where a state near by is known', () => {
    const { timeline, stepped } = keyed()
    timeline.at(49)
    stepped.length = 0
    expect(timeline.at(51).value).toBe(1326)
    expect(stepped).toEqual([50, 51])
  })

  test('the nearest one before the turn is the one', () => {
    const { game, stepped } = sumGame(30)
    game.key = ({ t }) => (t % 5 ? null : { value: (t * (t + 1)) / 2 })
    const timeline = new Timeline(HEADER, game)
    for (let t = 1; t <= 90; t++) timeline.push({ t, add: t })
    expect(timeline.at(88).value).toBe(3916)
    expect(stepped).toEqual([86, 87, 88])
  })

  test('a state after a jump is not kept as if it had been played', () => {
    const { timeline } = keyed()
    const jumped = timeline.at(160)
    while (timeline.prepare());
    expect(timeline.at(160)).not.toBe(jumped)
    expect(timeline.at(160)).toBe(timeline.at(160))
  })

  test('a game may give back the state that was played', () => {
    const { game } = sumGame(10)
    let played: Count | undefined
    game.key = (_, __, state) => (state ? (played = { value: state.value + 1000 }) : null)
    const timeline = new Timeline(HEADER, game)
    timeline.push({ t: 1, add: 1 })
    expect(timeline.at(1)).toBe(played)
    expect(timeline.at(1).value).toBe(1001)
  })

  test('only what can now be played is forgotten by preparing', () => {
    const { timeline } = keyed()
    const far = timeline.at(165)
    for (let turn = 10; turn < 150; turn += 10) timeline.prepare()
    expect(timeline.at(165)).toBe(far)
  })

  test('what was jumped to is played again once that is prepared', () => {
    const { timeline } = keyed()
    const jumped = timeline.at(155)
    expect(timeline.at(155)).toBe(jumped)
    while (timeline.prepare());
    expect(timeline.at(155)).not.toBe(jumped)
    expect(timeline.at(155)).toEqual(jumped)
  })
})
