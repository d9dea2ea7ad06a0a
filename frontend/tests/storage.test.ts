import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

let stored: Map<string, string>
let full: boolean
let storage: typeof import('../src/lib/storage')

beforeEach(async () => {
  stored = new Map([['draft', 'old']])
  full = false
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => {
      if (full) throw new DOMException('full', 'QuotaExceededError')
      stored.set(name, value)
    },
    removeItem: (name: string) => void stored.delete(name),
  })
  vi.resetModules()
  storage = await import('../src/lib/storage')
})
afterEach(() => {
  vi.unstubAllGlobals()
})

describe('what a browser keeps', () => {
  test('is stored, and forgotten', () => {
    expect(storage.keep('draft', 'new')).toBe(true)
    expect([storage.readKept('draft'), storage.isStored('draft'), stored.get('draft')]).toEqual(['new', true, 'new'])
    expect(storage.keep('draft', null)).toBe(true)
    expect([storage.readKept('draft'), stored.has('draft')]).toEqual([null, false])
  })

  test('lasts as long as the page where the storage is full, and comes before what was stored', () => {
    full = true
    expect(storage.keep('draft', 'new')).toBe(false)
    expect([storage.readKept('draft'), storage.isStored('draft'), stored.get('draft')]).toEqual(['new', false, 'old'])
    full = false
    expect(storage.keep('draft', 'newer')).toBe(true)
    expect([storage.readKept('draft'), storage.isStored('draft'), stored.get('draft')]).toEqual(['newer', true, 'newer'])
  })

  test('lasts as long as the page where storage is forbidden', () => {
    vi.stubGlobal('localStorage', undefined)
    expect(storage.readKept('draft')).toBeNull()
    expect(storage.keep('draft', 'new')).toBe(false)
    expect(storage.readKept('draft')).toBe('new')
    expect(storage.keep('draft', null)).toBe(false)
    expect([storage.readKept('draft'), storage.isStored('draft')]).toEqual([null, false])
  })
})

test('the local token is sent from where storage is forbidden, too', async () => {
  const { keepToken, localHeaders } = await import('../src/lib/local-token')
  vi.stubGlobal('localStorage', undefined)
  vi.stubGlobal('location', { hash: '#local=abcdefghij-KLMNOPQRST_0123456789', pathname: '/', search: '' })
  vi.stubGlobal('history', { replaceState: () => {} })
  expect(localHeaders()).toEqual({})
  keepToken()
  expect(localHeaders()).toEqual({ 'X-Hexarena-Local': 'abcdefghij-KLMNOPQRST_0123456789' })
})
