import { expect, test } from 'vitest'
import { botCalled, isDeleted, isOnItsWay, newestFirst } from '../src/lib/bots'
import type { Bot, Submission } from '../src/lib/types'

test('a bot is deleted when it has only its number for a name', () => {
  expect(isDeleted({ id: 12, name: 'deleted #12' })).toBe(true)
  expect(isDeleted({ id: 12, name: 'deleted #1' })).toBe(false)
  expect(isDeleted({ id: 12, name: 'deleted 12' })).toBe(false)
  expect(isDeleted({ id: 12, name: 'mine' })).toBe(false)
})

test("a new version belongs to one's bot of that name, whatever the case", () => {
  const bots = [{ id: 1, name: 'Pebble' }, { id: 2, name: 'Ärger' }] as Bot[]
  expect(botCalled(bots, ' pebble ')?.id).toBe(1)
  expect(botCalled(bots, 'äRGER')?.id).toBe(2)
  expect(botCalled(bots, 'Pebble 2')).toBeUndefined()
})

test('a version is on its way until it failed, was replaced, or has a place', () => {
  const states = ['queued', 'building', 'checking', 'live', 'failed', 'superseded', 'disabled'] as const
  expect(states.filter((state) => isOnItsWay(state, false))).toEqual(['queued', 'building', 'checking', 'live'])
  expect(states.filter((state) => isOnItsWay(state, true))).toEqual(['queued', 'building', 'checking'])
})

test('versions are in the list once, the newest first, as they are known best', () => {
  const [old, middle, newer] = [{ id: 3 }, { id: 7, state: 'live' }, { id: 9 }] as [Submission, Submission, Submission]
  expect(newestFirst([old, middle, newer, { ...middle, state: 'checking' }])).toEqual([newer, middle, old])
})
