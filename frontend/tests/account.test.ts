import { expect, test } from 'vitest'
import { browserName, curlLine, problemsByField, providerProblem, used } from '../src/lib/account'
import { ApiError, wantsSignIn } from '../src/lib/client'
import type { Problem } from '../src/lib/types'

const refused = (status: number, problem: Partial<Problem>): ApiError => new ApiError(status, problem.detail ?? '', problem)

test.each([
  ['This name is taken.', ['name', 'password'], 'name'],
  ['This name is too near to “Anna”: people may take one for the other.', ['name', 'password'], 'name'],
  ['This password is too easy to guess.', ['name', 'password'], 'password'],
  ['This password is too easy to guess.', ['old', 'new'], 'new'],
  ['The old password is wrong.', ['old', 'new'], 'old'],
  ['The password is wrong.', ['name', 'password'], 'password'],
  ['Name or password is wrong.', ['name', 'password'], 'password'],
  ['This is not an email address.', ['name', 'email'], 'email'],
  ['This invitation is not valid: it does not exist.', ['name', 'invite'], 'invite'],
  ['This webhook cannot be used: Port 22 is neither 80, nor 443, nor 1024 to 65535.', ['url'], 'url'],
  ['You have a token “laptop” already.', ['name', 'scopes'], 'name'],
  ['The deadline is over.', ['name', 'deadline'], 'deadline'],
  ['The database does not answer.', ['name', 'password'], ''],
])('%s is shown where it belongs', (detail, fields, about) => {
  expect(problemsByField(refused(422, { detail }), fields)).toEqual({ [about]: detail })
})

test('what was expected is shown unless it says nothing new', () => {
  const fields = ['name', 'password']
  expect(problemsByField(refused(422, { detail: 'This password cannot be used.', expected: '8 to 200 characters' }), fields)).toEqual({
    password: 'This password cannot be used. Expected: 8 to 200 characters.',
  })
  expect(problemsByField(refused(422, { detail: 'This name is taken.', expected: 'another name' }), fields)).toEqual({
    name: 'This name is taken.',
  })
})

test('errors that name their fields are shown there, unless the form has no such field', () => {
  const errors = [{ where: 'body.email', message: 'String should have at most 200 characters' }]
  const error = refused(422, { detail: 'body.email: too long', errors })
  expect(problemsByField(error, ['name', 'email'])).toEqual({ email: 'String should have at most 200 characters.' })
  expect(problemsByField(error, ['name'])).toEqual({ '': 'body.email: too long' })
})

test('any other error belongs to the form', () => {
  expect(problemsByField(new Error('out of order'), ['name'])).toEqual({ '': 'out of order' })
})

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0', 'Firefox on Linux'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36', 'Chrome on Windows'],
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36 Edg/129.0', 'Edge on Windows'],
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/129.0.0.0 Safari/537.36', 'Chrome on Linux'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Safari/605.1.15', 'Safari on macOS'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1', 'Safari on iPhone'],
  ['Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Mobile Safari/537.36', 'Chrome on Android'],
  ['curl/8.5.0', 'curl'],
  ['', 'Unknown browser'],
])('%s', (agent, words) => {
  expect(browserName(agent)).toBe(words)
})

test('the line for a terminal does the most that the token may do', () => {
  expect(curlLine('http://arena', 'hxt_1', ['read', 'submit'])).toBe(
    'curl -H "Authorization: Bearer hxt_1" -F file=@bot.py -F game=yavalath -F bot=my-bot http://arena/api/v1/submissions/file',
  )
  expect(curlLine('http://arena', 'hxt_1', ['play'])).toContain('http://arena/api/v1/matches')
  expect(curlLine('http://arena', 'hxt_1', ['organise'])).toContain('http://arena/api/v1/events')
  expect(curlLine('http://arena', 'hxt_1', ['read'])).toContain('http://arena/api/v1/me/export')
})

test('each problem with a provider has a sentence, and unknown ones have one too', () => {
  const sentences = ['unreachable', 'denied', 'failed', 'invite', 'taken', '<b>'].map(providerProblem)
  expect(new Set(sentences).size).toBe(6)
  expect(sentences.join()).not.toContain('<b>')
  expect(providerProblem(null)).toBe('')
})

test('only an arena that wants an account asks for signing in', () => {
  expect(wantsSignIn(refused(401, { type: 'urn:hexarena:problem:sign-in-needed' }))).toBe(true)
  expect(wantsSignIn(refused(401, { type: 'urn:hexarena:problem:bad-cookie' }))).toBe(true)
  expect(wantsSignIn(refused(401, { type: 'urn:hexarena:problem:sign-in-failed' }))).toBe(false)
  expect(wantsSignIn(refused(403, { type: 'urn:hexarena:problem:sign-in-needed' }))).toBe(false)
  expect(wantsSignIn(new Error('Sign in first.'))).toBe(false)
})

test('what was used is shown beside what may be', () => {
  const usage = { cpu_s: 3960, cpu_budget_s: 21600, cpu_again_at: null, bytes: 120_000, bytes_quota: 50_000_000 }
  expect(used(usage)).toEqual([
    { what: 'CPU time of matches in the last 24 hours', shown: '66 min of 6 h', share: 3960 / 21600, more: '' },
    { what: 'Stored code', shown: '0.12 MB of 50 MB', share: 120 / 50_000, more: '' },
  ])
  expect(used({ ...usage, cpu_s: 30, cpu_budget_s: null, bytes_quota: null })).toEqual([
    { what: 'CPU time of matches in the last 24 hours', shown: '30 s', share: null, more: '' },
    { what: 'Stored code', shown: '0.12 MB', share: null, more: '' },
  ])
})

test('what is used up says from when on there is more, and how to free room', () => {
  const usage = { cpu_s: 15000, cpu_budget_s: 14400, cpu_again_at: '2026-11-28T09:04:00Z', bytes: 1_990_000, bytes_quota: 2_000_000 }
  const [cpu, code] = used(usage)
  expect(cpu).toMatchObject({ what: 'CPU time of matches in the last 24 hours', shown: '4.2 h of 4 h', share: 1 })
  expect(cpu?.more).toMatch(/^Used up. There is more from 28 Nov 2026/)
  expect(code?.more).toBe('Delete versions’ code, or bots, to free room.')
})
