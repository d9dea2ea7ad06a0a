import { afterEach, expect, test, vi } from 'vitest'
import { ApiError } from '../src/lib/client'
import { RESTART, type Batch } from '../src/viewer/replay'
import { ReplaySession } from '../src/viewer/session.svelte'

const HEADER = '{"v":1,"game":"tron","init":{"w":6,"h":1,"start":[[2,0],[3,0]]},"players":[{"bot":"ada"},{"bot":"bob"}]}'

afterEach(() => {
  vi.unstubAllGlobals()
})

test('a match that starts over while its board moves stops the move', async () => {
  const due = new Map<number, FrameRequestCallback>()
  let asked = 0
  vi.stubGlobal('requestAnimationFrame', (act: FrameRequestCallback) => (due.set(++asked, act), asked))
  vi.stubGlobal('cancelAnimationFrame', (id: number) => due.delete(id))
  vi.stubGlobal('requestIdleCallback', () => 1)
  vi.stubGlobal('cancelIdleCallback', () => {})
  const draw = (): void => {
    const now = [...due.values()]
    due.clear()
    for (const act of now) act(performance.now())
  }
  const session = new ReplaySession({ live: true })
  async function* lines(): AsyncGenerator<Batch> {
    yield [HEADER, '{"t":1,"m":"LR"}']
    expect(due.size).toBe(1)
    draw()
    expect(due.size).toBe(1)
    yield RESTART
    draw()
    yield ['{"end":true,"void":"the worker died"}']
    draw()
  }
  await session.load(lines())
  expect(session.problem).toBe('')
  session.stop()
})

test('what was read of a match whose download breaks off can be watched, and is not live', async () => {
  vi.stubGlobal('requestIdleCallback', () => 1)
  vi.stubGlobal('cancelIdleCallback', () => {})
  vi.stubGlobal('requestAnimationFrame', () => 1)
  async function* lines(broken: boolean): AsyncGenerator<Batch> {
    yield [HEADER, '{"t":1,"m":"LR"}']
    if (broken) throw new Error('The network is away.')
  }
  for (const live of [false, true]) {
    const session = new ReplaySession({ live })
    await session.load(lines(false))
    expect(session.problem).toBe('The replay is incomplete.')
    expect(session.moment).toMatchObject({ end: 1, live: false })
    const other = new ReplaySession({ live })
    await other.load(lines(true))
    expect(other.problem).toBe('The network is away.')
    expect(other.moment).toMatchObject({ end: 1, live: false })
  }
})

test('a replay that is not there is not asked for again, but one that the arena could not send', async () => {
  const failed = async (error: Error): Promise<ReplaySession> => {
    const session = new ReplaySession()
    await session.load((async function* (): AsyncGenerator<Batch> {
      throw error
    })())
    return session
  }
  expect(await failed(new ApiError(404, 'No longer stored.'))).toMatchObject({ problem: 'No longer stored.', missing: true })
  expect(await failed(new ApiError(503, 'Busy.'))).toMatchObject({ problem: 'Busy.', missing: false })
  expect(await failed(new Error('No viewer.'))).toMatchObject({ problem: 'No viewer.', missing: false })
})

/** A match in person that was watched, began anew and came once more, with its end. */
async function shownAgain(watch: (session: ReplaySession) => void, again: Batch[]): Promise<ReplaySession> {
  vi.stubGlobal('requestIdleCallback', () => 1)
  vi.stubGlobal('cancelIdleCallback', () => {})
  vi.stubGlobal('requestAnimationFrame', () => 1)
  vi.stubGlobal('cancelAnimationFrame', () => {})
  const session = new ReplaySession({ live: true, speed: 2 })
  await session.load((async function* (): AsyncGenerator<Batch> {
    yield [HEADER, ...turns(1, 6)]
    watch(session)
    yield RESTART
    for (const [index, batch] of again.entries()) {
      if (index) session.playback!.advance(60)
      yield batch
    }
  })())
  session.stop()
  return session
}
const turns = (first: number, last: number): string[] => Array.from({ length: last - first + 1 }, (_, index) => `{"t":${first + index},"m":"UU"}`)
const END = '{"end":true,"ranks":[0,1],"reason":""}'

test('a match that comes once more with all of it goes on from where the board was', async () => {
  const playing = await shownAgain((session) => (session.playback!.changeSpeed(1), session.playback!.follow()), [[HEADER, ...turns(1, 7), END]])
  expect(playing.moment).toMatchObject({ pos: 5, end: 7, playing: true, speed: 4, live: false })
  const paused = await shownAgain((session) => (session.playback!.pause(), session.playback!.seek(3)), [[HEADER, ...turns(1, 7), END]])
  expect(paused.moment).toMatchObject({ pos: 3, end: 7, playing: false, speed: 2 })
  const halves = await shownAgain((session) => session.playback!.follow(), [[HEADER, ...turns(1, 3)], [...turns(4, 7), END]])
  expect(halves.moment).toMatchObject({ pos: 5, playing: true })
  const still = await shownAgain((session) => (session.playback!.pause(), session.playback!.seek(3)), [[HEADER, ...turns(1, 4)], [...turns(5, 7), END]])
  expect(still.moment, 'minutes later').toMatchObject({ pos: 3, end: 7, playing: false })
})

test('where somebody has looked at a match since it began anew, it stays there', async () => {
  vi.stubGlobal('requestIdleCallback', () => 1)
  vi.stubGlobal('cancelIdleCallback', () => {})
  vi.stubGlobal('requestAnimationFrame', () => 1)
  vi.stubGlobal('cancelAnimationFrame', () => {})
  const session = new ReplaySession({ live: true })
  await session.load((async function* (): AsyncGenerator<Batch> {
    yield [HEADER, ...turns(1, 6)]
    session.playback!.follow()
    yield RESTART
    yield [HEADER, ...turns(1, 2)]
    session.playback!.pause()
    session.playback!.seek(1)
    yield [...turns(3, 8), END]
  })())
  expect(session.moment).toMatchObject({ pos: 1, playing: false })
  session.stop()
})
