import { expect, test } from 'vitest'
import { chaptersOf, firstChapter, heatPoints, masked, revealedUntil, roadTo, showOrder, slidesOf, topHeats, topPairings, type Chapter } from '../src/lib/show'
import { routeOf } from '../src/lib/routes'
import type { EventDetail, EventHeat, EventHeatInfo, EventPairing, EventPairingInfo, EventStageState } from '../src/lib/types'
import { node } from './nodes'

const pairing = (number: number, part: string, round: number, first: number, second: number, points: [number, number]): EventPairingInfo => ({
  id: 100 + number,
  number,
  round,
  part,
  playoff: 0,
  first,
  second,
  state: 'done',
  first_points: points[0],
  second_points: points[1],
  first_wins: points[0],
  second_wins: points[1],
  winner: points[0] > points[1] ? first : second,
})
const KNOCKOUT: EventStageState = {
  index: 1,
  stage: { form: 'knockout', seeds: 2, groups: 1, rounds: 0, games: 12, best_of: 3, lives: 1, third_place: true, stop_when_sure: false, advance: 0 },
  entrants: [1, 2, 3, 4],
  over: true,
  tie_breaks: [],
  groups: [],
  nodes: [
    node(0, 'main', 1, { kind: 'seed', index: 0 }, { kind: 'seed', index: 3 }, { first: 1, second: 4, pairing: 100 }),
    node(1, 'main', 1, { kind: 'seed', index: 1 }, { kind: 'seed', index: 2 }, { first: 2, second: 3, pairing: 101 }),
    node(2, 'main', 2, { kind: 'winner', index: 0 }, { kind: 'winner', index: 1 }, { first: 1, second: 3, pairing: 102 }),
    node(3, 'third', 1, { kind: 'loser', index: 0 }, { kind: 'loser', index: 1 }, { first: 4, second: 2, pairing: 103 }),
  ],
  pairings: [pairing(0, 'main', 1, 1, 4, [2, 0]), pairing(1, 'main', 1, 2, 3, [1, 2]), pairing(2, 'main', 2, 1, 3, [2, 1]), pairing(3, 'third', 1, 4, 2, [0, 2])],
  more_pairings: false,
  advance: 0,
  table: [],
  heats: [],
}
const row = (entry: number, place: number, points: number) => ({
  entry,
  place,
  played: 3,
  won: points,
  drawn: 0,
  lost: 3 - points,
  points,
  direct: null,
  buchholz: null,
  berger: 0,
  playoffs: [],
  advances: false,
  decided_by: null,
  rating: null,
  deviation: null,
  sure: null,
})
const ROBIN: EventStageState = {
  ...KNOCKOUT,
  index: 0,
  stage: { ...KNOCKOUT.stage, form: 'round robin', advance: 4 },
  nodes: [],
  groups: [{ name: '', advance: 4, rows: [row(1, 1, 3), row(2, 2, 2), row(3, 3, 1), row(4, 4, 0)] }],
  pairings: [pairing(0, '', 1, 3, 4, [1, 0]), pairing(1, '', 1, 1, 2, [1, 0])],
}
const EVENT = { entries: [1, 2, 3, 4].map((id) => ({ id, bot: `Bot ${id}` })) } as unknown as EventDetail
const withGames = (info: EventPairingInfo): EventPairing => ({
  ...info,
  stage: 1,
  best_of: 3,
  games: [1, 2, 3].map((number) => ({ number, match_id: 10 * info.id + number, state: 'done', swapped: false, seed: '1', counts: number < 3, first_points: number === 1 ? 1 : 0, reruns: [] })),
})
const titled = (_: EventStageState, one: EventPairingInfo): string => `${one.part} ${one.round}`
const DETAILS = new Map(KNOCKOUT.pairings.map((one) => [one.id, withGames(one)]))

test('the final comes last, after the match for the third place', () => {
  expect(showOrder(KNOCKOUT).map((one) => one.id)).toEqual([100, 101, 103, 102])
})

test('only decided pairings are shown', () => {
  const open = { ...KNOCKOUT, pairings: KNOCKOUT.pairings.map((one) => (one.id === 102 ? { ...one, state: 'playing' as const } : one)) }
  expect(showOrder(open).map((one) => one.id)).toEqual([100, 101, 103])
})

test('without a bracket the best pairs are shown, the very best last', () => {
  expect(topPairings(ROBIN).map((one) => one.id)).toEqual([100, 101])
  expect(chaptersOf([ROBIN, KNOCKOUT], titled).map((one) => [one.title, one.pairings.length])).toEqual([
    ['Stage 1: round robin', 0],
    ['main 1', 2],
    ['third 1', 1],
    ['main 2', 1],
  ])
})

test('a show begins with the last eight pairings at most', () => {
  const chapter = (pairings: number): Chapter => ({ stage: 0, title: '', pairings: Array.from({ length: pairings }, () => KNOCKOUT.pairings[0]!) })
  expect(firstChapter([8, 4, 2, 1].map(chapter))).toBe(1)
  expect(firstChapter([chapter(40)])).toBe(0)
  expect(firstChapter([])).toBe(0)
})

test('each pairing is met, played and shown, with the score so far', () => {
  const slides = slidesOf([ROBIN, KNOCKOUT], chaptersOf([ROBIN, KNOCKOUT], titled), DETAILS)
  const kinds = slides.map((one) => one.kind)
  expect(kinds.slice(0, 7)).toEqual(['title', 'table', 'bracket', 'meet', 'game', 'game', 'result'])
  expect(kinds.at(-1)).toBe('end')
  // The third game came after it was decided.
  expect(kinds.filter((kind) => kind === 'game')).toHaveLength(8)
  expect(slides.flatMap((one) => (one.kind === 'game' ? [one.score] : [])).slice(0, 2)).toEqual([
    [0, 0],
    [1, 0],
  ])
})

test('nothing is shown before its slide', () => {
  const slides = slidesOf([KNOCKOUT], chaptersOf([KNOCKOUT], titled), DETAILS)
  for (let at = 0; at < slides.length; at += 1) {
    const revealed = revealedUntil(slides, at, [])
    const results = slides.slice(0, at + 1).filter((one) => one.kind === 'result').length
    expect(revealed.size).toBe(results)
    const shown = masked(KNOCKOUT, revealed)
    expect(shown.pairings.filter((one) => one.winner !== null)).toHaveLength(results)
    // Whoever plays the final is known only when both semifinals were shown.
    const final = shown.nodes[2]!
    expect([final.first !== null, final.second !== null]).toEqual([revealed.has(100), revealed.has(101)])
  }
  expect(revealedUntil(slides, 0, [100])).toEqual(new Set([100]))
})

test('the road names opponents in order, and nothing of the pairing itself', () => {
  expect(roadTo(EVENT, [ROBIN, KNOCKOUT], 1, KNOCKOUT.pairings[2]!, 1)).toEqual(['round robin: place 1, 3 of 3', 'beat Bot 4 2 : 0'])
  expect(roadTo(EVENT, [ROBIN, KNOCKOUT], 2, KNOCKOUT.pairings[3]!, 1)).toEqual(['round robin: place 2, 2 of 3', 'lost to Bot 3 1 : 2'])
  expect(roadTo(EVENT, [ROBIN, KNOCKOUT], 1, KNOCKOUT.pairings[0]!, 1)).toEqual(['round robin: place 1, 3 of 3'])
})

const heat = (number: number, round: number, entrants: number[], playoff = 0): EventHeatInfo => ({
  id: 200 + number,
  number,
  round,
  playoff,
  state: 'done',
  entrants: entrants.map((entry, index) => ({ entry, place: index + 1, points: 2 - index, won: index === 0 ? 2 : 0 })),
})
const HEATS: EventStageState = {
  ...ROBIN,
  groups: [],
  pairings: [],
  stage: { ...ROBIN.stage, form: 'heats', rounds: 2, games: 2 },
  table: [1, 2, 3, 4, 5, 6].map((entry, index) => ({ entry, place: index + 1, played: 4, won: 0, points: 6 - entry, met: 0, playoffs: [0, 0], advances: false, decided_by: null })),
  heats: [heat(0, 1, [1, 4, 5]), heat(1, 1, [2, 3, 6]), heat(2, 2, [1, 2, 3]), heat(3, 2, [4, 5, 6]), heat(4, 3, [2, 3], 1)],
}
const playedHeat = (info: EventHeatInfo): EventHeat => ({
  ...info,
  stage: 0,
  planned: 2,
  games: [1, 2].map((number) => ({ number, match_id: 10 * info.id + number, state: 'done', seed: '1', seats: info.entrants.map((one) => one.entry).toReversed(), places: info.entrants.map((_, index) => index + 1), reruns: [] })),
})

test('of heats the last one of the best is shown, then the play-offs, and the table at the end', () => {
  expect(topHeats(HEATS).map((one) => one.id)).toEqual([202, 204])
  const chapters = chaptersOf([HEATS], titled)
  expect(chapters.map((one) => one.title)).toEqual(['Stage 1: heats, round 2, heat 3', 'Stage 1: heats, play-off 1, heat 5'])
  const details = new Map(topHeats(HEATS).map((one) => [one.id, playedHeat(one)]))
  const kinds = slidesOf([HEATS], chapters, new Map(), details).map((one) => one.kind)
  expect(kinds).toEqual(['title', ...['heat', 'heat-game', 'heat-game', 'heat-result'], ...['heat', 'heat-game', 'heat-game', 'heat-result'], 'table', 'end'])
  expect(chaptersOf([HEATS, KNOCKOUT], titled)[0]).toMatchObject({ title: 'Stage 1: heats', pairings: [] })
})

test('the points of a heat so far are the shares of the others that were beaten', () => {
  const three = playedHeat(heat(0, 1, [7, 8, 9]))
  expect(heatPoints(three, [])).toEqual([0, 0, 0])
  expect(heatPoints(three, three.games.slice(0, 1))).toEqual([0, 0.5, 1])
  const tied = { ...three.games[0]!, seats: [7, 8, 9], places: [1, 1, 3] }
  expect(heatPoints(three, [tied])).toEqual([0.75, 0.75, 0])
  // The third was out: the two who played have beaten it.
  expect(heatPoints(three, [{ ...tied, seats: [7, 8], places: [1, 2] }])).toEqual([1, 0.5, 0])
})

test('shows have addresses', () => {
  expect(routeOf('/events/7/show')).toEqual({ page: 'show', event: 7 })
  expect(routeOf('/events/new')).toEqual({ page: 'new-event' })
  expect(routeOf('/events/7/show/x')).toEqual({ page: 'missing' })
  expect(routeOf('/matches/7/show')).toEqual({ page: 'missing' })
})
