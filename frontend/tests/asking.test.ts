import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Asking } from '../src/viewer/asking.svelte'
import type { Batch } from '../src/viewer/replay'
import { ReplaySession } from '../src/viewer/session.svelte'

const PLAYERS = '"players":[{"bot":"you"},{"bot":"bob"}]'
const TRON = `{"v":1,"game":"tron","init":{"w":6,"h":6,"start":[[1,1],[4,4]]},${PLAYERS}}`
const ANTS = `{"v":1,"game":"ants","league":4,"init":{"cells":[[0,0,0,0],[1,0,0,0],[2,0,2,9]],"bases":[[0],[2]],"ants":[[5,0,0],[0,0,5]]},${PLAYERS}}`

beforeEach(() => {
  vi.stubGlobal('requestAnimationFrame', () => 1)
  vi.stubGlobal('cancelAnimationFrame', () => {})
  vi.stubGlobal('requestIdleCallback', () => 1)
  vi.stubGlobal('cancelIdleCallback', () => {})
})
afterEach(() => {
  vi.unstubAllGlobals()
})

/** A live match that the person in seat 0 has seen these lines of; `end` ends it. */
async function played(...lines: string[]): Promise<{ session: ReplaySession; asking: Asking; sent: string[]; reply: () => void; end: () => Promise<void> }> {
  const session = new ReplaySession({ live: true })
  const sent: string[] = []
  let reply = (): void => {}
  const asking = new Asking(session, 0, (_, line) => {
    sent.push(line)
    return new Promise((resolve) => (reply = resolve))
  })
  let over = (): void => {}
  const read = new Promise<void>((resolve) => {
    async function* batches(): AsyncGenerator<Batch> {
      yield lines
      resolve()
      await new Promise<void>((ended) => (over = ended))
      yield ['{"end":true,"ranks":[0,1],"reason":""}']
    }
    void session.load(batches())
  })
  await read
  return { session, asking, sent, reply: () => reply(), end: async () => (over(), await new Promise((later) => setTimeout(later))) }
}

test('an arrow key that comes while the bot thinks does not stop the board', async () => {
  const { session, asking, end } = await played(TRON)
  expect(session.moment).toMatchObject({ live: true, following: true })
  expect([asking.key('ArrowRight'), asking.key('Enter'), asking.key(' ')]).toEqual([true, false, false])
  expect(session.moment.following).toBe(true)
  session.playback!.pause()
  expect(asking.key('ArrowLeft')).toBe(false)
  session.playback!.follow()
  await end()
  expect(session.moment.live).toBe(false)
  expect(asking.key('ArrowRight')).toBe(false)
  session.stop()
})

test('a key that is held steers once', async () => {
  const { session, asking, sent, reply } = await played(TRON)
  asking.turn = 1
  expect([asking.key('ArrowRight', true), sent]).toEqual([true, []])
  expect([asking.key('ArrowRight'), sent]).toEqual([true, ['RIGHT']])
  expect([asking.key('ArrowRight', true), sent]).toEqual([true, ['RIGHT']])
  reply()
  session.stop()
})

test('a key that is held moves on over a board', async () => {
  const { session, asking } = await played(ANTS)
  asking.turn = 1
  asking.key('ArrowLeft')
  const first = asking.cursor
  asking.key('ArrowLeft', true)
  expect(first).not.toBeNull()
  expect(asking.cursor).not.toEqual(first)
  session.stop()
})

test('the commands of a turn can be entered again, although the match has gone on before the reply is confirmed', async () => {
  const { session, asking, sent, reply } = await played(ANTS)
  asking.turn = 1
  asking.key('ArrowLeft')
  asking.key('Enter')
  const done = asking.send()
  expect(sent).toEqual([expect.stringMatching(/^LINE \d+ \d+ 1$/)])
  asking.turn = null
  reply()
  expect(await done).toBe(true)
  expect(asking.before).toEqual(sent)
  session.stop()
})
