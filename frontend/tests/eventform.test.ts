import { expect, test } from 'vitest'
import { bodyOf, changedMeanwhile, changesOf, draftOf, hasTeams, lasting, localInput, momentOf, mostInHeat, namesOf, PRESETS, presetsFor, previewText, seatsText, stageOf, suits, usualDeadline } from '../src/lib/eventform'
import { crossTable, roundsOf, shareInterval } from '../src/lib/events'
import type { EventDetail, EventPairingInfo } from '../src/lib/types'

const EVENT = {
  game: 'ants',
  name: 'Cup',
  about: '',
  opens_at: '2030-05-01T10:00:27Z',
  deadline: '2030-05-08T18:00:09Z',
  invited: true,
  by_list: false,
  listed: null,
  bots_each: 1,
  languages: null,
  stages: PRESETS[0]!.stages,
  prizes: 3,
  held: false,
} as unknown as EventDetail

test('a time survives the field that shows it, in whatever zone', () => {
  for (const moment of [new Date(2030, 0, 1, 0, 0), new Date(2030, 6, 31, 23, 59)]) expect(momentOf(localInput(moment))).toEqual(moment)
  expect(momentOf('')).toBeNull()
  expect(momentOf('soon')).toBeNull()
  expect(usualDeadline(new Date(2030, 1, 25, 9)).getTime()).toBe(new Date(2030, 2, 4, 18).getTime())
})

test('a new event is sent whole, an old one only where it changed', () => {
  const draft = draftOf(null, 'ants', new Date(2030, 1, 1))
  expect(bodyOf({ ...draft, name: 'Cup' })).toMatchObject({ game: 'ants', name: 'Cup', opens_at: null, languages: null, invited: false })
  expect(() => bodyOf({ ...draft, deadline: '' })).toThrow(RangeError)
  // The fields show minutes: what nobody touched keeps its seconds, since it is not sent.
  expect(changesOf(draftOf(EVENT, 'ants', new Date()), EVENT)).toEqual({})
  const changed = { ...draftOf(EVENT, 'ants', new Date()), name: 'Cup of cups', stages: [stageOf('swiss')] }
  expect(changesOf(changed, EVENT)).toEqual({ name: 'Cup of cups', stages: [stageOf('swiss')] })
})

test('an event whose time of opening was emptied opens at once', () => {
  const emptied = { ...draftOf(EVENT, 'ants', new Date()), opens: '' }
  expect(changesOf(emptied, EVENT, new Date('2030-04-30T09:00:00Z'))).toEqual({ opens_at: '2030-04-30T09:00:00.000Z' })
  expect(changesOf(emptied, EVENT, new Date('2030-05-02T09:00:00Z'))).toEqual({})
})

test('what another organiser changed meanwhile is not sent back', () => {
  const now: EventDetail = { ...EVENT, deadline: '2030-05-09T18:00:00Z', about: 'In the hall.', stages: [stageOf('swiss')] }
  const draft = { ...draftOf(EVENT, 'ants', new Date()), about: 'In the great hall.' }
  expect(changesOf(draft, EVENT)).toEqual({ about: 'In the great hall.' })
  const followed = { ...draft, ...changedMeanwhile(draft, EVENT, now) }
  expect(followed).toEqual({ ...draftOf(now, 'ants', new Date()), about: 'In the great hall.' })
  expect(changesOf(followed, now)).toEqual({ about: 'In the great hall.' })
  expect(changedMeanwhile(draft, EVENT, { ...EVENT })).toEqual({})
  // A time that was emptied to be typed anew is being changed.
  expect(changedMeanwhile({ ...draft, deadline: '' }, EVENT, now)).not.toHaveProperty('deadline')
})

const TRON = { ladder_entrants: [4, 3, 2] }
const YAVALATH = { ladder_entrants: [2] }

test('a form is offered where the game can be played in it', () => {
  expect([mostInHeat(TRON), mostInHeat(YAVALATH), mostInHeat(undefined)]).toEqual([4, 0, 0])
  expect([suits('heats', TRON), suits('knockout', TRON)]).toEqual([true, true])
  expect([suits('heats', YAVALATH), suits('knockout', YAVALATH)]).toEqual([false, true])
  expect([suits('heats', { ladder_entrants: [3] }), suits('swiss', { ladder_entrants: [3] })]).toEqual([true, false])
  expect(presetsFor(YAVALATH).map((one) => one.id)).not.toContain('heats')
  expect(presetsFor(YAVALATH)[0]!.id).toBe('groups')
  expect(presetsFor(TRON)[0]!.id).toBe('heats')
  expect(presetsFor(TRON)).toHaveLength(PRESETS.length)
})

test('the form says whether all sit in each seat equally often', () => {
  expect(seatsText(12, 4)).toBe('Everybody sits in each seat equally often.')
  expect(seatsText(4, 4)).toBe('In heats of 3 some sit in a seat once more than others: 4 games cannot be divided equally.')
  expect(hasTeams({ ladder_entrants: [4, 3, 2], team_seats: 4 })).toBe(true)
  expect(hasTeams({ ladder_entrants: [4, 3, 2], team_seats: 1 })).toBe(false)
  expect(hasTeams(undefined)).toBe(false)
  expect(seatsText(5, 4)).toContain('In heats of 2 or 3 or 4 ')
})

test('what it costs is a sentence, also where nobody knows the time', () => {
  expect(previewText({ games: [224, 24], cpu_hours: 1.25, minutes: 38.2, slots: 2 })).toBe(
    'At most 248 games (224 + 24), about 1.3 CPU hours; on the 2 slots of today’s workers at most 39 min.',
  )
  expect(previewText({ games: [4], cpu_hours: null, minutes: null, slots: 0 })).toBe('At most 4 games.')
  expect(previewText({ games: [4], cpu_hours: 0.01, minutes: 0.2, slots: 1 })).toContain('about 1 CPU minute; on the 1 slot')
  expect([lasting(89), lasting(135)]).toEqual(['89 min', '2 h 15 min'])
})

test('an interval holds the share, narrows with games and stays within 0 and 1', () => {
  expect(shareInterval(0, 0)).toBeNull()
  const few = shareInterval(7, 10)!
  const many = shareInterval(70, 100)!
  // Wilson's interval for 7 of 10: 0.397 to 0.892.
  expect(few.low).toBeCloseTo(0.397, 3)
  expect(few.high).toBeCloseTo(0.892, 3)
  expect(many.high - many.low).toBeLessThan(few.high - few.low)
  expect(shareInterval(5, 5)!.high).toBe(1)
  expect(shareInterval(0, 5)!.low).toBe(0)
})

const pairing = (first: number, second: number, points: [number, number] | null, more: Partial<EventPairingInfo> = {}): EventPairingInfo => ({
  id: 1,
  number: 0,
  round: 1,
  part: 'A',
  playoff: 0,
  first,
  second,
  state: 'done',
  first_points: points?.[0] ?? null,
  second_points: points?.[1] ?? null,
  first_wins: null,
  second_wins: null,
  winner: null,
  ...more,
})

test('a cross table counts both sides, and no play-offs', () => {
  const cross = crossTable([pairing(1, 2, [1.5, 0.5]), pairing(2, 1, [1, 1]), pairing(1, 2, [0, 2], { playoff: 1 }), pairing(1, 3, null)])
  expect(cross.get(1)?.get(2)).toEqual({ points: 2.5, games: 4 })
  expect(cross.get(2)?.get(1)).toEqual({ points: 1.5, games: 4 })
  expect(cross.has(3)).toBe(false)
})

test('rounds of groups are named after both', () => {
  expect(roundsOf([pairing(1, 2, null), pairing(3, 4, null, { part: 'B' }), pairing(1, 3, null, { playoff: 1 })], true).map((one) => one.title)).toEqual([
    'Group A, round 1',
    'Group B, round 1',
    'Group A, play-off 1',
  ])
  expect(roundsOf([pairing(1, 2, null)], false)[0]!.title).toBe('Round 1')
})

test('a list has one name a line, and is sent only where one enters by it', () => {
  expect(namesOf(' Ada Lovelace\n\nGrace, Edsger;\r\n')).toEqual(['Ada Lovelace', 'Grace', 'Edsger'])
  const draft = { ...draftOf(null, 'ants', new Date()), name: 'Cup', listed: 'Ada\nGrace' }
  expect(bodyOf(draft).listed).toBeNull()
  expect(bodyOf({ ...draft, entry: 'list' })).toMatchObject({ listed: ['Ada', 'Grace'], invited: false })
  const listed = { ...EVENT, invited: false, by_list: true, listed: ['Ada'] }
  expect(changesOf({ ...draftOf(listed, 'ants', new Date()), listed: 'Ada\nGrace' }, listed)).toEqual({ listed: ['Ada', 'Grace'] })
  expect(changesOf({ ...draftOf(listed, 'ants', new Date()), entry: 'everybody' }, listed)).toEqual({ listed: null })
})
