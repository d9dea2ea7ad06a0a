import { expect, test } from 'vitest'
import { countdown, stageText } from '../src/lib/events'
import { routeOf } from '../src/lib/routes'
import type { EventStage } from '../src/lib/types'

const stage = (changes: Partial<EventStage>): EventStage => ({
  form: 'round robin',
  seeds: 2,
  groups: 1,
  rounds: 0,
  best_of: 5,
  lives: 1,
  third_place: false,
  stop_when_sure: false,
  advance: 0,
  ...changes,
})

test('a countdown has the two largest units', () => {
  expect(countdown(((26 * 60 + 5) * 60 + 7) * 1000)).toBe('1 d 2 h')
  expect(countdown(3_605_000)).toBe('1 h 0 min')
  expect(countdown(61_000)).toBe('1 min 1 s')
  expect(countdown(900)).toBe('1 s')
  expect(countdown(0)).toBe('')
})

test('stages are sentences', () => {
  expect(stageText(stage({ form: 'groups', groups: 8, advance: 2 }), false)).toBe(
    '8 groups: in each, everybody against everybody on 2 maps. The first 2 of each group go on.',
  )
  expect(stageText(stage({ form: 'knockout', lives: 2, best_of: 3 }), true)).toBe('Double elimination: best of 3.')
  expect(stageText(stage({ form: 'swiss', rounds: 5, seeds: 1, advance: 4 }), false)).toContain('5 rounds')
})

test('events have pages', () => {
  expect(routeOf('/events')).toEqual({ page: 'events' })
  expect(routeOf('/events/7')).toEqual({ page: 'event', event: 7 })
  expect(routeOf('/events/x')).toEqual({ page: 'missing' })
})

test('a ladder that is played on says until when', () => {
  const ladder = stage({ form: 'ladder', rounds: 10, seeds: 5, advance: 8 })
  expect(stageText(ladder, true)).toBe('The ladder at the deadline, played on until every place with a prize is 95 % sure: at most 10 rounds on 5 maps each.')
  expect(stageText(ladder, false)).toContain('until it is 95 % sure: at most 10 rounds on 5 maps each. The first 8 go on.')
})
