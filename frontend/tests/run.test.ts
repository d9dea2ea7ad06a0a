import { afterEach, beforeEach, expect, test, vi } from 'vitest'

/** A stream of a match that ends at once. */
class Source extends EventTarget {
  static readonly CLOSED = 2
  readyState = 1
  constructor() {
    super()
    setTimeout(() => this.dispatchEvent(new Event('end')))
  }
  close(): void {}
}

const MATCH = {
  id: 7,
  game: 'yavalath',
  state: 'running',
  kind: 'practice',
  live_url: '/live',
  seats: [{ seat: 0, team: 0, submission_id: 3, bot_id: null, mine: true, fault: 'crash' }],
}

let Run: typeof import('../src/lib/run.svelte').Run
beforeEach(async () => {
  vi.stubGlobal('EventSource', Source)
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }))
  vi.resetModules()
  // It reads the colours of a page.
  vi.doMock('../src/lib/theme.svelte', () => ({ lessMotion: () => true }))
  ;({ Run } = await import('../src/lib/run.svelte'))
})
afterEach(() => {
  vi.doUnmock('../src/lib/theme.svelte')
  vi.unstubAllGlobals()
})

test('a run that was played to its end is done, though its log cannot be read', async () => {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (address: string, init?: RequestInit) => {
    asked.push(address)
    if (address.endsWith('/io')) return new Response('', { status: 500 })
    return Response.json(init?.method === 'POST' ? MATCH : { ...MATCH, state: 'done' })
  })
  const run = new Run('python')
  await run.start('yavalath', 'x = 1', { opponent: '', others: [], entrants: '', seat: 0, mixed: 0, seed: '', level: '' })
  expect(asked).toContain('/api/v1/matches/7/seats/0/io')
  expect([run.stage, run.problem, run.lines]).toEqual(['done', '', []])
})

test('a draft that does not compile has its own errors, not those of a bot of its author', async () => {
  const seats = [
    { seat: 0, team: 0, submission_id: 2, bot_id: 5, mine: true, fault: null },
    { seat: 1, team: 1, submission_id: 3, bot_id: null, mine: true, fault: null },
  ]
  vi.stubGlobal('fetch', async (address: string, init?: RequestInit) => {
    if (address === '/api/v1/submissions/3') return Response.json({ problem: 'It does not compile.', build_log: 'bot.py:1: error: no\n' })
    if (address.startsWith('/api/v1/submissions/')) return Response.json({ problem: null, build_log: '' })
    return Response.json(init?.method === 'POST' ? { ...MATCH, seats } : { ...MATCH, seats, state: 'void', void_reason: 'Void.' })
  })
  const run = new Run('python')
  await run.start('yavalath', 'x = 1', { opponent: '5', others: [], entrants: '', seat: 1, mixed: 0, seed: '', level: '' })
  expect([run.stage, run.problem, run.buildLog]).toEqual(['failed', 'It does not compile.', 'bot.py:1: error: no\n'])
})
