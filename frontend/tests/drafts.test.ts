import { expect, test, vi } from 'vitest'

/** As in a browser, what is stored are properties of the storage. */
class Stored {
  [name: string]: unknown
  getItem(name: string): unknown {
    return Object.hasOwn(this, name) ? this[name] : null
  }
  setItem(name: string, value: string): void {
    this[name] = value
  }
  removeItem(name: string): void {
    delete this[name]
  }
}

test('with an account, what was known of its copies is forgotten, and no code', async () => {
  vi.stubGlobal('localStorage', new Stored())
  vi.resetModules()
  const drafts = await import('../src/lib/drafts')
  drafts.writeDraft('ants', 'python', '# mine')
  drafts.writeBase('ants', 'python', { account: 1, revision: 3, print: drafts.fingerprint('# mine') })
  drafts.forgetBases()
  expect([drafts.readDraft('ants', 'python'), drafts.readBase('ants', 'python')]).toEqual(['# mine', null])
  vi.unstubAllGlobals()
})
