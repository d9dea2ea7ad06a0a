import { expect, test } from 'vitest'
import { botCalled, isDeleted } from '../src/lib/bots'
import type { Bot } from '../src/lib/types'

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
