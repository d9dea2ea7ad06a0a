import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Batch } from '../src/lib/types'

const batch = (id: number, over: boolean): Batch => ({ id, over, rows: [] }) as unknown as Batch

/** Answers that have not come yet. */
let answers: Record<string, (found: unknown) => void>
beforeEach(() => {
  answers = {}
  vi.resetModules()
  vi.doMock('../src/lib/live', () => ({ arenaEvents: () => () => {} }))
  vi.doMock('../src/lib/current-user.svelte', () => ({ currentUser: { refresh: async () => {} } }))
  vi.doMock('../src/lib/local-token', () => ({ localHeaders: () => ({}) }))
  vi.stubGlobal('fetch', (address: string, init?: RequestInit) => {
    const name = `${init?.method ?? 'GET'} ${address.split('?')[0]}`
    return new Promise<Response>((resolve) => (answers[name] = (found) => resolve(Response.json(found))))
  })
})
afterEach(() => {
  for (const one of ['live', 'current-user.svelte', 'local-token']) vi.doUnmock(`../src/lib/${one}`)
  vi.resetModules()
  vi.unstubAllGlobals()
})

test.each([
  ['is being sent', ['GET', 'POST']],
  ['was started', ['POST', 'GET']],
])('an answer with the last batch does not take the place of one that %s meanwhile', async (_, order) => {
  const { Batches } = await import('../src/lib/batches.svelte')
  const batches = new Batches('ants')
  const loaded = batches.load([1, 2])
  const started = batches.start({ language: 'python', source: 'x' }, '')
  for (const method of order) {
    answers[`${method} /api/v1/batches`]!(method === 'GET' ? { items: [batch(3, true)], most_matches: 20 } : batch(4, false))
    if (method === 'GET') {
      await loaded
      expect(batches.batch?.id).not.toBe(3)
    }
    if (method === 'POST') await vi.waitUntil(() => batches.batch?.id === 4)
  }
  await vi.waitUntil(() => answers['GET /api/v1/batches/4'])
  answers['GET /api/v1/batches/4']!(batch(4, true))
  await started
  expect(batches.batch?.id).toBe(4)
})

test('the last batch is there again', async () => {
  const { Batches } = await import('../src/lib/batches.svelte')
  const batches = new Batches('ants')
  const loaded = batches.load([1, 2])
  answers['GET /api/v1/batches']!({ items: [batch(3, true)], most_matches: 7 })
  await loaded
  expect([batches.batch?.id, batches.most]).toEqual([3, 7])
})
