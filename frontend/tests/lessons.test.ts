import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Lesson, LessonAttempt } from '../src/lib/types'

const lesson = (number: number, passed = false, latest: number | null = null): Lesson => ({
  number, title: `lesson ${number}`, level: number, statement_html: '', boss: { bot_id: 7, name: 'Drifter' },
  boss_summary: '', attempts: latest ? 1 : 0, best: passed ? 3 : 0, passed, latest,
})
const attempt = (wins: number, over: boolean, lesson = 1): LessonAttempt => ({
  id: 40, lesson, wins, over, passed: wins >= 3, problem: null, build_log: null,
  matches: [{ match_id: 9, state: over ? 'done' : 'queued', void_reason: null, seat: 0, points: over ? 1 : null, fault: null }],
})

let answers: Record<string, unknown>
let listener: { match?: (match: { id: number }) => void } = {}

beforeEach(() => {
  answers = {}
  vi.resetModules()
  vi.doMock('../src/lib/live', () => ({ arenaEvents: (one: typeof listener) => ((listener = one), () => {}) }))
  vi.doMock('../src/lib/current-user.svelte', () => ({ currentUser: { refresh: async () => {} } }))
  vi.doMock('../src/lib/local-token', () => ({ localHeaders: () => ({}) }))
  vi.stubGlobal('fetch', async (address: string) => {
    const found = answers[address]
    return found === undefined ? new Response('{}', { status: 500 }) : Response.json(found)
  })
})
afterEach(() => vi.unstubAllGlobals())

async function opened(items: Lesson[]) {
  const { Lessons } = await import('../src/lib/lessons.svelte')
  answers['/api/v1/games/ants/lessons'] = { items, matches: 5, wins: 3 }
  const lessons = new Lessons('ants')
  lessons.follow()
  await lessons.load()
  return lessons
}

test('the next lesson is the first that is not passed, at the end the last', async () => {
  expect((await opened([lesson(1, true), lesson(2), lesson(3)])).next?.number).toBe(2)
  expect((await opened([lesson(1, true), lesson(2, true)])).next?.number).toBe(2)
})

test('a game whose lessons cannot be loaded has none', async () => {
  const { Lessons } = await import('../src/lib/lessons.svelte')
  const lessons = new Lessons('ants')
  await lessons.load()
  expect(lessons.items).toEqual([])
  expect(lessons.next).toBeUndefined()
})

test('lessons stay where they cannot be loaded again', async () => {
  const lessons = await opened([lesson(1)])
  delete answers['/api/v1/games/ants/lessons']
  await lessons.load()
  expect(lessons.next?.number).toBe(1)
})

test('an attempt is followed until it is over, and then its mark is read', async () => {
  const lessons = await opened([lesson(1)])
  const address = '/api/v1/games/ants/lessons/1/attempts'
  answers[address] = attempt(0, false)
  answers[`${address}/40`] = attempt(0, false)
  await lessons.try(1, { language: 'python', source: 'x' })
  expect([lessons.problem, lessons.playing]).toEqual(['', true])
  answers[`${address}/40`] = attempt(3, true)
  answers['/api/v1/games/ants/lessons'] = { items: [lesson(1, true, 40)], matches: 5, wins: 3 }
  listener.match?.({ id: 1 })
  expect(lessons.playing, 'that was another match').toBe(true)
  listener.match?.({ id: 9 })
  await vi.waitFor(() => expect(lessons.items[0]?.passed).toBe(true))
  expect(lessons.playing).toBe(false)
})

test('a refusal is shown, and the earlier attempt stays', async () => {
  const lessons = await opened([lesson(1, false, 40)])
  answers['/api/v1/games/ants/lessons/1/attempts/40'] = attempt(1, true)
  await lessons.show(1)
  expect(lessons.attempt?.wins).toBe(1)
  await lessons.try(1, { language: 'python', source: 'x' })
  expect(lessons.problem).not.toBe('')
  expect(lessons.attempt?.wins).toBe(1)
})

test('the code of an attempt stays known until another attempt is made', async () => {
  const lessons = await opened([lesson(1)])
  const address = '/api/v1/games/ants/lessons/1/attempts'
  answers[address] = attempt(0, false)
  await lessons.try(1, { language: 'python', source: 'x' })
  expect(lessons.tried).toEqual({ id: 40, code: { language: 'python', source: 'x' } })
  delete answers[address]
  await lessons.try(1, { language: 'python', source: 'y' })
  expect([lessons.tried?.id, lessons.tried?.code.source]).toEqual([40, 'x'])
})

test('an attempt is followed while another lesson is shown, and is there when its lesson is shown again', async () => {
  const lessons = await opened([lesson(1), lesson(2)])
  const address = '/api/v1/games/ants/lessons/1/attempts'
  answers[address] = attempt(0, false)
  answers[`${address}/40`] = attempt(1, false)
  await lessons.try(1, { language: 'python', source: 'x' })
  await lessons.show(2)
  expect([lessons.attempt, lessons.playing]).toEqual([null, true])
  await lessons.show(1)
  expect(lessons.attempt?.wins).toBe(1)
  await lessons.show(2)
  answers[`${address}/40`] = attempt(3, true)
  answers['/api/v1/games/ants/lessons'] = { items: [lesson(1, true, 40), lesson(2)], matches: 5, wins: 3 }
  listener.match?.({ id: 9 })
  await vi.waitFor(() => expect(lessons.items[0]?.passed).toBe(true))
  expect(lessons.playing).toBe(false)
  await lessons.show(1)
  expect(lessons.attempt?.wins).toBe(3)
})

test('an answer that comes late does not take the place of the attempt at the lesson that is shown', async () => {
  const lessons = await opened([lesson(1, false, 40), lesson(2, false, 41)])
  const answer: Record<string, (found: Response) => void> = {}
  vi.stubGlobal('fetch', (address: string) => new Promise<Response>((resolve) => (answer[address] = resolve)))
  const first = lessons.show(1)
  const second = lessons.show(2)
  answer['/api/v1/games/ants/lessons/1/attempts/40']!(Response.json(attempt(1, true)))
  await first
  expect(lessons.attempt).toBeNull()
  answer['/api/v1/games/ants/lessons/2/attempts/41']!(Response.json({ ...attempt(2, true, 2), id: 41 }))
  await second
  expect(lessons.attempt?.lesson).toBe(2)
})
