import { afterEach, beforeEach, expect, test, vi } from 'vitest'

class Page extends EventTarget {
  hidden = false
}

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-01-01T12:00:00Z') })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('what was just now is some minutes ago after some minutes, on a page that somebody looks at', async () => {
  const page = new Page()
  vi.stubGlobal('document', page)
  vi.resetModules()
  const { ago } = await import('../src/lib/clock.svelte')
  const then = '2026-01-01T11:59:50Z'
  expect(ago(then)).toBe('just now')
  vi.advanceTimersByTime(5 * 60_000)
  expect(ago(then)).toBe('5 min ago')
  page.hidden = true
  vi.advanceTimersByTime(5 * 60_000)
  expect(ago(then)).toBe('5 min ago')
  page.hidden = false
  page.dispatchEvent(new Event('visibilitychange'))
  expect(ago(then)).toBe('10 min ago')
})
