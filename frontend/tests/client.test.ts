import { afterEach, expect, test, vi } from 'vitest'
import { api, ApiError, errorMessage, explainedMessage } from '../src/lib/client'

afterEach(() => void vi.unstubAllGlobals())

/** What the page says of a refused call. */
async function refused(status: number, problem: object): Promise<ApiError> {
  const headers = { 'Content-Type': 'application/problem+json' }
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(problem), { status, headers }))
  return api.me().then(
    () => expect.unreachable(),
    (error: unknown) => error as ApiError,
  )
}

test('a field that is wrong is named once, without where it was sent', async () => {
  const errors = [{ where: 'query.seed', message: 'expected a whole number', got: 'x' }]
  const said = await refused(422, { detail: 'query.seed: expected a whole number', errors })
  expect(said.message).toBe('seed: expected a whole number')
  const other = await refused(422, { detail: 'This cannot be used.', errors })
  expect(other.message).toBe('This cannot be used. seed: expected a whole number')
  expect(explainedMessage(other)).toBe(other.message)
})

test('what was expected and what was got are said where there is room for it', async () => {
  const problem = { detail: 'The source is too large.', expected: 'at most 100,000 bytes', got: '150,000 bytes' }
  const said = await refused(422, problem)
  expect(errorMessage(said)).toBe('The source is too large.')
  expect(explainedMessage(said)).toBe('The source is too large. Expected at most 100,000 bytes; got 150,000 bytes.')
  expect(explainedMessage(await refused(404, { detail: 'Gone.' }))).toBe('Gone.')
  expect(explainedMessage(new Error('no arena'))).toBe('no arena')
})

test('who shall sign in hears that alone', async () => {
  const problem = { type: 'urn:hexarena:sign-in-needed', detail: 'Sign in first.', expected: 'an account of this arena', got: 'a visitor' }
  expect(explainedMessage(await refused(401, problem))).toBe('Sign in first.')
})
