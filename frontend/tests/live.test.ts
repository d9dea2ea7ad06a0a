import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Match } from '../src/lib/types'
import type { Batch } from '../src/viewer/replay'

/** An EventSource that does what the test says. */
class Source extends EventTarget {
  static readonly CLOSED = 2
  static all: Source[] = []
  readyState = 1
  onopen: (() => void) | null = null
  onerror: (() => void) | null = null

  constructor(readonly url: string) {
    super()
    Source.all.push(this)
  }
  close(): void {
    this.readyState = Source.CLOSED
  }
  send(kind: string, data: unknown, lastEventId = ''): void {
    this.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data), lastEventId }))
  }
  /** The connection breaks; the browser comes back by itself unless the answer was no stream. */
  break(forGood: boolean): void {
    if (forGood) this.close()
    this.onerror?.()
  }
}
class Page extends EventTarget {
  hidden = false
  show(visible: boolean): void {
    this.hidden = !visible
    this.dispatchEvent(new Event('visibilitychange'))
  }
}

let page: Page
let live: typeof import('../src/lib/live')
let connection: typeof import('../src/lib/connection.svelte').connection
const open = (): Source[] => Source.all.filter((source) => source.readyState !== Source.CLOSED)

beforeEach(async () => {
  Source.all = []
  page = new Page()
  vi.useFakeTimers()
  vi.stubGlobal('EventSource', Source)
  vi.stubGlobal('document', page)
  vi.resetModules()
  live = await import('../src/lib/live')
  connection = (await import('../src/lib/connection.svelte')).connection
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('events of the arena', () => {
  const past = (source: Source | undefined): number | null => {
    const found = new URL(source!.url, 'http://arena').searchParams.get('past_ms')
    return found === null ? null : Number(found)
  }

  test('begin with what changed while the page was loaded', () => {
    page.hidden = true
    const stop = live.arenaEvents({})
    vi.advanceTimersByTime(5000)
    page.show(true)
    expect(past(Source.all[0])).toBe(6000)
    stop()
    page.show(true)
    vi.advanceTimersByTime(90_000)
    live.arenaEvents({})
    expect(past(open()[0])).toBe(1000)
  })

  test('a page that was hidden for long loads again what it shows', () => {
    let missed = 0
    page.hidden = true
    live.arenaEvents({ missed: () => missed++ })
    vi.advanceTimersByTime(70_000)
    page.show(true)
    expect(past(Source.all[0])).toBeNull()
    Source.all[0]!.onopen!()
    expect(missed).toBe(1)
  })

  test('come over one connection, which closes with the last listener', () => {
    const stops = [live.arenaEvents({}), live.arenaEvents({})]
    expect(Source.all).toHaveLength(1)
    stops[0]!()
    expect(open()).toHaveLength(1)
    stops[1]!()
    expect(open()).toHaveLength(0)
  })

  test('reach all who listen, by their kinds', () => {
    const heard: string[] = []
    live.arenaEvents({ match: ({ id }) => heard.push(`match ${id}`), standing: ({ game }) => heard.push(`standing ${game}`) })
    const stop = live.arenaEvents({ submission: ({ id }) => heard.push(`submission ${id}`) })
    Source.all[0]!.send('match', { id: 1 })
    Source.all[0]!.send('standing', { game: 'ants' })
    Source.all[0]!.send('submission', { id: 2 })
    stop()
    Source.all[0]!.send('submission', { id: 3 })
    expect(heard).toEqual(['match 1', 'standing ants', 'submission 2'])
  })

  test('may have been missed after an interruption, not at the beginning', () => {
    let missed = 0
    live.arenaEvents({ missed: () => missed++ })
    const [source] = Source.all
    source!.onopen!()
    expect(missed).toBe(0)
    source!.break(false)
    source!.onopen!()
    source!.onopen!()
    expect(missed).toBe(1)
  })

  test('are asked for again when the connection is gone for good, while somebody listens and looks', () => {
    const stop = live.arenaEvents({})
    Source.all[0]!.break(false)
    vi.advanceTimersByTime(60_000)
    expect(Source.all).toHaveLength(1)
    Source.all[0]!.break(true)
    vi.advanceTimersByTime(60_000)
    expect(Source.all).toHaveLength(2)
    page.hidden = true
    Source.all[1]!.break(true)
    vi.advanceTimersByTime(60_000)
    expect(Source.all).toHaveLength(2)
    stop()
  })

  test('rest while the page is hidden', () => {
    let missed = 0
    page.hidden = true
    live.arenaEvents({ missed: () => missed++ })
    expect(Source.all).toHaveLength(0)
    page.show(true)
    Source.all[0]!.onopen!()
    expect(missed).toBe(0)
    page.show(false)
    expect(open()).toHaveLength(0)
    page.show(true)
    open()[0]!.onopen!()
    expect(missed).toBe(1)
  })

  test('are asked for as somebody else after the first upload', () => {
    live.renewEvents()
    expect(Source.all).toHaveLength(0)
    let missed = 0
    live.arenaEvents({ missed: () => missed++ })
    live.renewEvents()
    expect([Source.all.length, open().length]).toEqual([2, 1])
    open()[0]!.onopen!()
    expect(missed).toBe(1)
  })
})

describe('the lamp', () => {
  test('shows whether the stream is open, and since when it is not', () => {
    const stop = live.arenaEvents({})
    expect(connection.reach).toBe('connecting')
    Source.all[0]!.onopen!()
    expect(connection.reach).toBe('live')
    vi.advanceTimersByTime(5000)
    Source.all[0]!.break(false)
    const since = Date.now()
    vi.advanceTimersByTime(5000)
    Source.all[0]!.break(false)
    expect([connection.reach, connection.since]).toEqual(['lost', since])
    Source.all[0]!.onopen!()
    expect(connection.reach).toBe('live')
    stop()
  })

  test('does not trust a silent stream', () => {
    const stop = live.arenaEvents({})
    Source.all[0]!.onopen!()
    for (let i = 0; i < 4; i++) {
      vi.advanceTimersByTime(20_000)
      Source.all[0]!.send('alive', {})
    }
    expect(connection.reach).toBe('live')
    vi.advanceTimersByTime(30_000)
    expect(connection.reach).toBe('lost')
    expect(open()).toHaveLength(1)
    expect(Source.all).toHaveLength(2)
    Source.all[1]!.onopen!()
    expect(connection.reach).toBe('live')
    stop()
  })

  test('calls what waits for the arena each time that it is back, not at the beginning', () => {
    let back = 0
    const forget = connection.whenBack(() => back++)
    const stop = live.arenaEvents({})
    const source = Source.all[0]!
    source.onopen!()
    expect(back).toBe(0)
    source.break(false)
    source.onopen!()
    expect(back).toBe(1)
    forget()
    source.break(false)
    source.onopen!()
    expect(back).toBe(1)
    stop()
  })
})

/** What is asked is answered with each of these once, and then with the last. */
const answers = (...all: (number | object)[]): void => {
  vi.stubGlobal('fetch', async () => {
    const next = all.length > 1 ? all.shift()! : all[0]!
    if (next === 0) throw new TypeError('no network')
    return typeof next === 'number' ? new Response('', { status: next }) : Response.json(next)
  })
}

describe('a match that has come to its end', () => {
  const over = async (): Promise<string> => {
    const found = live.matchWhenOver(7, new AbortController().signal).then(({ state }) => state, (error: Error) => error.message)
    await vi.advanceTimersByTimeAsync(60_000)
    return found
  }

  test('is asked for until its result is stored, also where the arena does not answer for a moment', async () => {
    answers({ state: 'running' }, 0, 502, 503, { state: 'running' }, 0, { state: 'done' })
    expect(await over()).toBe('done')
  })

  test('is given up where the arena does not answer for long', async () => {
    answers(503)
    expect(await over()).toContain('Server error (503)')
  })

  test('is given up at once where there is none', async () => {
    answers(404, { state: 'done' })
    expect(await over()).toContain('404')
  })
})

describe('the lines of a match that is being played', () => {
  const MATCH = { id: 7, live_url: '/live' }
  const stopped = (): AbortController => new AbortController()

  async function read(lines: AsyncGenerator<Batch>, into: Batch[]): Promise<void> {
    for await (const batch of lines) into.push(batch)
  }

  test('come once each, whatever the connection does, until the end', async () => {
    const heard: Batch[] = []
    const states: string[] = []
    const done = read(live.liveLines(MATCH, ({ state }: Match) => states.push(state), stopped().signal), heard)
    const [first] = Source.all
    expect(first!.url).toBe('/live')
    first!.send('status', { state: 'running' })
    first!.send('lines', ['a', 'b'], '1-2')
    answers({ state: 'running' })
    first!.break(true)
    await vi.advanceTimersByTimeAsync(60_000)
    const second = open()[0]!
    second.send('lines', ['a', 'b', 'c'], '1-3')
    second.send('lines', ['x'], '2-1')
    second.send('end', {})
    await done
    const { RESTART } = await import('../src/viewer/replay')
    expect(heard).toEqual([['a', 'b'], ['c'], RESTART, ['x']])
    expect(states).toEqual(['running'])
    expect(open()).toEqual([])
    page.show(true)
    vi.advanceTimersByTime(60_000)
    expect(Source.all).toHaveLength(2)
  })

  test('wake a reader that waits', async () => {
    const lines = live.liveLines(MATCH, () => {}, stopped().signal)
    const next = lines.next()
    await Promise.resolve()
    Source.all[0]!.send('lines', ['a'], '1-1')
    expect(await next).toEqual({ done: false, value: ['a'] })
    await lines.return(undefined)
    expect(open()).toEqual([])
  })

  test.each([401, 404])('end with what was wrong where the match is not to be seen any more (%i)', async (status) => {
    const heard: Batch[] = []
    const ended = read(live.liveLines(MATCH, () => {}, stopped().signal), heard).catch((error: { status: number }) => error.status)
    answers(status)
    Source.all[0]!.send('lines', ['a'], '1-1')
    Source.all[0]!.break(true)
    await vi.advanceTimersByTimeAsync(60_000)
    expect([await ended, heard, Source.all.length]).toEqual([status, [['a']], 1])
  })

  test('go on where the arena does not answer for a while', async () => {
    const stop = stopped()
    const heard: Batch[] = []
    const done = read(live.liveLines(MATCH, () => {}, stop.signal), heard)
    answers(0, 503, 429, { state: 'running' })
    for (let i = 0; i < 4; i++) {
      expect(Source.all).toHaveLength(i + 1)
      Source.all[i]!.break(true)
      await vi.advanceTimersByTimeAsync(3000)
    }
    open()[0]!.send('lines', ['a'], '1-1')
    open()[0]!.send('end', {})
    await done
    expect(heard).toEqual([['a']])
  })

  test('end for a reader that stops, and its connection with them', async () => {
    const stop = stopped()
    const heard: Batch[] = []
    const done = read(live.liveLines(MATCH, () => {}, stop.signal), heard)
    Source.all[0]!.break(true)
    stop.abort()
    await done
    vi.advanceTimersByTime(60_000)
    expect([heard.length, open().length]).toEqual([0, 0])
  })

  test('are asked for again when the arena is back: their own connection says nothing where it is broken', async () => {
    const stop = stopped()
    const unfollow = live.arenaEvents({})
    const heard: Batch[] = []
    const done = read(live.liveLines(MATCH, () => {}, stop.signal), heard)
    const lines = (): Source[] => open().filter(({ url }) => url === '/live')
    Source.all[0]!.onopen!()
    const [silent] = lines()
    silent!.send('lines', ['a'], '1-1')
    vi.advanceTimersByTime(30_000)
    expect(lines()).toEqual([silent])
    open().find(({ url }) => url !== '/live')!.onopen!()
    expect(lines()).toHaveLength(1)
    expect(lines()[0]).not.toBe(silent)
    lines()[0]!.send('lines', ['a', 'b'], '1-2')
    lines()[0]!.send('end', {})
    await done
    unfollow()
    expect(heard).toEqual([['a'], ['b']])
  })

  test('are asked for again when the network is back, on pages that follow nothing else', async () => {
    const network = new EventTarget()
    vi.stubGlobal('window', network)
    vi.stubGlobal('addEventListener', network.addEventListener.bind(network))
    vi.resetModules()
    live = await import('../src/lib/live')
    const stop = stopped()
    const done = read(live.liveLines(MATCH, () => {}, stop.signal), [])
    network.dispatchEvent(new Event('online'))
    expect([Source.all.length, open().length]).toEqual([2, 1])
    page.show(false)
    network.dispatchEvent(new Event('online'))
    expect(open()).toEqual([])
    stop.abort()
    await done
    network.dispatchEvent(new Event('online'))
    expect(Source.all).toHaveLength(2)
  })

  test('are asked for once when the network is back, on pages that follow the arena', async () => {
    const network = new EventTarget()
    vi.stubGlobal('window', network)
    vi.stubGlobal('addEventListener', network.addEventListener.bind(network))
    vi.resetModules()
    live = await import('../src/lib/live')
    const stop = stopped()
    const unfollow = live.arenaEvents({})
    const done = read(live.liveLines(MATCH, () => {}, stop.signal), [])
    const asked = (): number => Source.all.filter(({ url }) => url === '/live').length
    Source.all[0]!.onopen!()
    network.dispatchEvent(new Event('offline'))
    network.dispatchEvent(new Event('online'))
    expect(asked()).toBe(1)
    open().find(({ url }) => url !== '/live')!.onopen!()
    expect(asked()).toBe(2)
    stop.abort()
    await done
    unfollow()
  })

  test('rest while the page is hidden', async () => {
    const stop = stopped()
    const done = read(live.liveLines(MATCH, () => {}, stop.signal), [])
    page.show(false)
    expect(open()).toEqual([])
    page.show(true)
    expect(open()).toHaveLength(1)
    page.show(true)
    expect(Source.all).toHaveLength(2)
    stop.abort()
    await done
  })

  test('are those of the file once the match is over', async () => {
    const asked: string[] = []
    vi.stubGlobal('fetch', async (url: string) => {
      asked.push(url)
      return new Response(url.endsWith('/replay') ? 'a\nb\n' : JSON.stringify({ state: 'done' }), { headers: { 'Content-Type': 'application/json' } })
    })
    const heard: Batch[] = []
    await read(live.matchLines(7, true, stopped().signal), heard)
    await read(live.matchLines(7, false, stopped().signal), heard)
    expect(heard).toEqual([['a', 'b'], ['a', 'b']])
    expect(asked).toEqual(['/api/v1/matches/7', '/api/v1/matches/7/replay', '/api/v1/matches/7/replay'])
    expect(Source.all).toEqual([])
  })

  test('are those to come while it is played', async () => {
    vi.stubGlobal('fetch', async () => Response.json({ state: 'running' }))
    const lines = live.matchLines(7, true, stopped().signal)
    const next = lines.next()
    await vi.waitUntil(() => Source.all.length > 0)
    expect(Source.all[0]!.url).toBe('/api/v1/matches/7/live')
    Source.all[0]!.send('lines', ['a'], '1-1')
    expect((await next).value).toEqual(['a'])
    await lines.return(undefined)
  })
})
