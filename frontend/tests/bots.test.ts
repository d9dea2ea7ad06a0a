import { expect, test } from 'vitest'
import { isDeleted } from '../src/lib/bots'

test('a bot is deleted when it has only its number for a name', () => {
  expect(isDeleted({ id: 12, name: 'deleted #12' })).toBe(true)
  expect(isDeleted({ id: 12, name: 'deleted #1' })).toBe(false)
  expect(isDeleted({ id: 12, name: 'deleted 12' })).toBe(false)
  expect(isDeleted({ id: 12, name: 'mine' })).toBe(false)
})
