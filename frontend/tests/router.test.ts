import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

/** A click on a link of a page, as the router sees it. */
async function clicked(page: string, address: string): Promise<{ target: string; rel: string; prevented: boolean; at: string }> {
  vi.resetModules()
  const at = new URL(page, 'https://arena.example')
  const document = new EventTarget()
  const go = (_: unknown, __: string, to: string): void => void (at.href = new URL(to, at).href)
  vi.stubGlobal('location', at)
  vi.stubGlobal('history', { state: null, pushState: go, replaceState: () => {} })
  vi.stubGlobal('document', document)
  vi.stubGlobal('addEventListener', () => {})
  vi.stubGlobal('scrollTo', () => {})
  vi.stubGlobal('scrollY', 0)
  vi.stubGlobal('sessionStorage', { setItem: () => {} })
  await import('../src/lib/router.svelte')
  const { origin, pathname, search, hash } = new URL(address, at)
  const link = { origin, pathname, search, hash, target: '', rel: '', dataset: {}, hasAttribute: () => false, relList: { contains: () => false } }
  const event = Object.assign(new Event('click', { cancelable: true }), { button: 0 })
  Object.defineProperty(event, 'target', { value: { closest: () => link } })
  document.dispatchEvent(event)
  return { target: link.target, rel: link.rel, prevented: event.defaultPrevented, at: at.pathname }
}

test('a link leads to another page without a load', async () => {
  expect(await clicked('/matches/7', '/bots/5')).toEqual({ target: '', rel: '', prevented: true, at: '/bots/5' })
})

test('in the frame of another site it opens a tab: the frame shows nothing but the match', async () => {
  const opened = { target: '_blank', rel: 'noopener', prevented: false, at: '/embed/matches/7' }
  expect(await clicked('/embed/matches/7', '/bots/5')).toEqual(opened)
  expect(await clicked('/embed/matches/7', '/')).toEqual(opened)
})
