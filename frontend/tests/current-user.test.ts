import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Me } from '../src/lib/types'

// Another file may have loaded what is replaced here.
beforeEach(() => vi.resetModules())
afterEach(() => vi.resetModules())

const visitor = { id: null, kind: 'none' }
const guest = { id: 7, kind: 'guest' }

test.each([
  ['a guest who signed up in another tab', guest, { id: 7, kind: 'account' }, 1],
  ['somebody else', guest, { id: 8, kind: 'account' }, 1],
  ['a visitor who became a guest', visitor, guest, 1],
  ['the same guest', guest, { ...guest }, 0],
  ['the first answer for a visitor', null, visitor, 0],
])('the stream is opened anew for %s', async (_, before, after, times) => {
  const renewEvents = vi.fn()
  vi.doMock('../src/lib/live', () => ({ arenaEvents: () => () => {}, renewEvents }))
  vi.doMock('../src/lib/client', () => ({ api: { me: async () => after } }))
  const { currentUser } = await import('../src/lib/current-user.svelte')
  currentUser.profile = before as Me | null
  await currentUser.refresh()
  expect(renewEvents).toHaveBeenCalledTimes(times)
})
