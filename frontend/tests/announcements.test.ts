import { expect, test } from 'vitest'
import { stillUp } from '../src/lib/announcements.svelte'
import type { Announcement } from '../src/lib/types'

test('an announcement is up until its time', () => {
  const all = [{ id: 1, until: null }, { id: 2, until: '2030-01-01T10:00:00Z' }] as Announcement[]
  const at = (time: string): number[] => stillUp(all, Date.parse(time)).map(({ id }) => id)
  expect(at('2030-01-01T09:59:59Z')).toEqual([1, 2])
  expect(at('2030-01-01T10:00:00Z')).toEqual([1])
})
