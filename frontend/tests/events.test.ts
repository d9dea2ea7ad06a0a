import { expect, test } from 'vitest'
import { bestOf, countdown, heatRounds, lacksResults, leftOutText, pairingState, pairingText, phaseText, progressText, quotaText, rerunsOf, sharedText, shortNumber, stageText, tieText } from '../src/lib/events'
import { routeOf } from '../src/lib/routes'
import type { EventEntrant, EventHeatInfo, EventInfo, EventStage } from '../src/lib/types'

const stage = (changes: Partial<EventStage>): EventStage => ({
  form: 'round robin',
  seeds: 2,
  groups: 1,
  rounds: 0,
  games: 12,
  best_of: 5,
  lives: 1,
  third_place: false,
  stop_when_sure: false,
  advance: 0,
  ...changes,
})

test('an event of the stream whose results are hidden says nothing to who saw them', () => {
  expect([lacksResults({ hidden: false }, { hidden: true }), lacksResults({ hidden: true }, { hidden: true })]).toEqual([true, false])
  expect(lacksResults({ hidden: true }, { hidden: false })).toBe(false)
})

test('a pairing that is stuck says so, under the number that the problem names', () => {
  expect(pairingState({ number: 2, state: 'stuck' })).toBe('Pairing 3: stuck')
  expect(pairingState({ number: 2, state: 'done' })).toBe('')
})

test('a box of a bracket is a sentence for those who do not see it', () => {
  const side = (name: string | null, points: number | null, won = false) => ({ name, points, won })
  expect(pairingText([side('Ada', 2, true), side('Bob', 1)], { number: 2, state: 'done' })).toBe('Ada 2 : 1 Bob, Ada won')
  expect(pairingText([side('Ada', null), side('Bob', null)], { number: 2, state: 'stuck' })).toBe('Ada – : – Bob, Pairing 3: stuck')
  expect(pairingText([side('Ada', null), side(null, null)], undefined)).toBe('Ada against nobody yet')
})

test('a countdown has the two largest units', () => {
  expect(countdown(((26 * 60 + 5) * 60 + 7) * 1000)).toBe('1 d 2 h')
  expect(countdown(3_605_000)).toBe('1 h 0 min')
  expect(countdown(61_000)).toBe('1 min 1 s')
  expect(countdown(900)).toBe('1 s')
  expect(countdown(0)).toBe('')
})

test('stages are sentences', () => {
  expect(stageText(stage({ form: 'groups', groups: 8, advance: 2 }), false, false)).toBe(
    '8 groups: in each, everybody against everybody. Each two play 2 games, each on another map. The first 2 of each group advance.',
  )
  expect(stageText(stage({ form: 'round robin', seeds: 1 }), true, true)).toBe(
    'Round robin: everybody against everybody. Each two play 2 games (1 map, one game from each seat).',
  )
  expect(stageText(stage({ form: 'round robin', seeds: 1 }), true, false)).toContain('Each two play one game.')
  expect(stageText(stage({ form: 'swiss', rounds: 5, seeds: 3 }), true, true)).toContain('In a round two play 6 games (3 maps, one game from each seat).')
  const heats = stageText(stage({ form: 'heats', rounds: 3, games: 12, advance: 4 }), false, false)
  expect(heats).toContain('Heats: 3 rounds of 12 games each')
  expect(heats).not.toContain('teams')
  expect(stageText(stage({ form: 'heats', rounds: 1, mixed: true }), true, false)).toContain('Each game deals its bots to teams anew')
  expect(heats).toContain('The first 4 advance.')
  expect(stageText(stage({ form: 'heats', rounds: 1 }), true, false)).toContain('Heats: one round')
  expect(stageText(stage({ form: 'swiss', rounds: 5, seeds: 1, advance: 4 }), false, false)).toContain('5 rounds')
})

test('a pairing has as many games as are played, also where each map is played in both seats', () => {
  const knockout = stage({ form: 'knockout', best_of: 5 })
  expect([bestOf(knockout, true), bestOf(knockout, false), bestOf(stage({ best_of: 6 }), true)]).toEqual([6, 5, 6])
  expect(stageText(knockout, true, true)).toBe(
    'Knockout: best of 6. Two who meet play at most 6 games (3 maps, one game from each seat, as “best of 5” is rounded up to whole maps). ' +
      'They stop as soon as one cannot be caught any more. A tie is followed by up to 6 more games, two at a time, until one leads; if nobody does, the better seed advances.',
  )
  expect(stageText(stage({ form: 'knockout', best_of: 6, third_place: true }), true, true)).toContain('(3 maps, one game from each seat). They stop')
  expect(stageText(stage({ form: 'knockout', lives: 2, best_of: 1, stop_when_sure: true }), false, false)).toBe(
    'Double elimination: best of 1. Two who meet play at most 1 game. They stop as soon as one cannot be caught any more, or once a statistical test is about 95 % sure who is the stronger. ' +
      'A tie is followed by one more game until one leads; if nobody does, the better seed advances. The first 0 advance.',
  )
})

test('quotas are shown where there are any', () => {
  expect(quotaText({ languages: null, versions_a_day: null, source_bytes: null })).toBe('')
  expect(quotaText({ languages: null, versions_a_day: 5, source_bytes: 50_000 })).toBe(
    'While the event is open, a bot that takes part may send at most 5 versions in 24 hours, and a source of at most 50,000 bytes.',
  )
  expect(quotaText({ languages: ['rust', 'cpp'], versions_a_day: 1, source_bytes: null })).toBe(
    'Only bots in Rust and C++ may play. While the event is open, a bot that takes part may send at most 1 version in 24 hours.',
  )
})

test('entrants of the reader that may not play are told so before the deadline', () => {
  const entry = (bot: string, version: number | null, mine = true): EventEntrant => ({ bot, version, mine, state: 'entered' }) as EventEntrant
  const told = (...entries: EventEntrant[]): string => leftOutText({ languages: ['rust'], source_bytes: 900, entries })
  expect(told(entry('Able', 1), entry('Foreign', null, false))).toBe('')
  expect(told(entry('Able', 1), entry('Snake', null))).toBe(
    'Snake has no version yet that may play here, and without one at the deadline is out. Only bots in Rust may play. A source may have at most 900 bytes.',
  )
  expect(told(entry('Adder', null), entry('Snake', null))).toContain('Adder and Snake have no version yet that may play here, and without one at the deadline are out.')
})

test('a paused event says so until it is over', () => {
  const told = (phase: EventInfo['phase']): string => phaseText({ phase, paused_reason: 'No network.' })
  expect(told('freezing')).toBe('the deadline is over; paused')
  expect(told('playing')).toBe('the final is being played; paused')
  expect(told('cancelled')).toBe('cancelled')
})

test('who wins a knockout with as many points is explained', () => {
  const entries = [{ id: 1, bot: 'Snare', state: 'entered' }, { id: 2, bot: 'Pebble', state: 'out' }, { id: 3, bot: 'Hotspur', state: 'entered' }] as EventEntrant[]
  const told = (first: number, second: number, points: [number, number], winner: number | null): string =>
    tieText(entries, { first, second, winner, first_points: points[0], second_points: points[1] })
  expect(told(1, 3, [2, 2], 3)).toBe('Hotspur is ahead by the seeding.')
  expect(told(1, 3, [3, 1], 1)).toBe('')
  expect(told(1, 2, [1, 1], 1)).toBe('')
  expect(told(1, 3, [1, 1], null)).toBe('')
})

test('heats are listed by rounds, play-offs after them', () => {
  const heat = (number: number, round: number, playoff = 0): EventHeatInfo => ({ id: number, number, round, playoff, state: 'done', entrants: [] })
  const found = heatRounds([heat(0, 1), heat(1, 1), heat(2, 2), heat(3, 3, 1), heat(4, 3, 1)])
  expect(found.map((one) => [one.title, one.heats.length])).toEqual([
    ['Round 1', 2],
    ['Round 2', 1],
    ['Play-off 1', 2],
  ])
  expect([shortNumber(8 / 3), shortNumber(4)]).toEqual(['2.67', '4'])
})

test('events have pages', () => {
  expect(routeOf('/events')).toEqual({ page: 'events' })
  expect(routeOf('/events/7')).toEqual({ page: 'event', event: 7 })
  expect(routeOf('/events/x')).toEqual({ page: 'missing' })
})

test('a ladder that is played on says until when', () => {
  const ladder = stage({ form: 'ladder', rounds: 10, seeds: 5, advance: 8 })
  expect(stageText(ladder, true, false)).toBe('The ladder at the deadline, played on until every place with a prize is 95 % sure: at most 10 rounds, in each of which two play 5 games, each on another map.')
  expect(stageText(ladder, false, false)).toContain('at most 10 rounds, in each of which two play 5 games, each on another map. The first 8 advance.')
  expect(stageText(ladder, true, true)).toContain('two play 10 games (5 maps, one game from each seat).')
})

test('a final tells how far it is, also when games that break ties make it longer than planned', () => {
  expect(progressText({ phase: 'open', games: 0, most_games: 288 })).toBe('')
  expect(progressText({ phase: 'playing', games: 12, most_games: 288 })).toBe('12 of at most 288 games')
  expect(progressText({ phase: 'playing', games: 288, most_games: 288 })).toBe('288 of at most 288 games')
  expect(progressText({ phase: 'playing', games: 295, most_games: 288 })).toBe('295 games, with those that break ties')
})

test('each match that was played again is named with the one in its place', () => {
  const once = { number: 2, match_id: 30, reruns: [{ match: 20, reason: 'The hall was dark.' }] }
  const twice = { number: 3, match_id: 32, reruns: [{ match: 21, reason: 'Power.' }, { match: 31, reason: 'Again.' }] }
  expect(rerunsOf([{ number: 1, match_id: 10, reruns: [] }])).toEqual([])
  expect(rerunsOf([once, twice])).toEqual([
    { game: 2, first: 20, again: 30, reason: 'The hall was dark.' },
    { game: 3, first: 21, again: 31, reason: 'Power.' },
    { game: 3, first: 31, again: 32, reason: 'Again.' },
  ])
})

test('entrants with the same code are named at the row', () => {
  const entries = ['Snare', 'Pebble', 'Hotspur', 'Watcher'].map((bot, id) => ({ id, bot })) as EventEntrant[]
  expect(sharedText(entries, [1])).toBe('results shared with Pebble')
  expect(sharedText(entries, [1, 2])).toBe('results shared with Pebble, Hotspur')
  expect(sharedText(entries, [0, 1, 2, 3])).toBe('results shared with Snare and 3 others')
})
