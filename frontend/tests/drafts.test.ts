import { afterEach, beforeEach, expect, test, vi } from 'vitest'

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

let drafts: typeof import('../src/lib/drafts')
beforeEach(async () => {
  vi.stubGlobal('localStorage', new Stored())
  vi.resetModules()
  drafts = await import('../src/lib/drafts')
})
afterEach(() => {
  vi.unstubAllGlobals()
})

test('with an account, what was known of its copies is forgotten, and no code', () => {
  drafts.writeDraft('ants', 'python', '# mine')
  drafts.writeBase('ants', 'python', { account: 1, revision: 3, print: drafts.fingerprint('# mine') })
  drafts.forgetBases()
  expect([drafts.readDraft('ants', 'python'), drafts.readBase('ants', 'python')]).toEqual(['# mine', null])
})

const kept = (): (string | null)[] => [drafts.readDraft('ants', 'python'), drafts.readOther('ants', 'python')]

test.each([
  ['nothing', null, null],
  ['the starter', '# starter', null],
  ['the same', '# v1', null],
  ['own code', '# mine', '# mine'],
])('a version that is opened over %s', (_, before, beside) => {
  drafts.writeDraft('ants', 'python', before)
  expect(drafts.openDraft('ants', 'python', '# v1', '# starter')).toBe(true)
  expect(kept()).toEqual(['# v1', beside])
})

test('a version is not opened where a third code would be lost', () => {
  drafts.writeDraft('ants', 'python', '# mine')
  drafts.writeOther('ants', 'python', '# of another tab')
  expect(drafts.openDraft('ants', 'python', '# v1', '# starter')).toBe(false)
  expect(kept()).toEqual(['# mine', '# of another tab'])
  expect(drafts.openDraft('ants', 'python', '# of another tab', '# starter')).toBe(true)
  expect(kept()).toEqual(['# of another tab', '# mine'])
})
