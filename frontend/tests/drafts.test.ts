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

test('what one account keeps beside its draft is neither shown to the next one nor lost', () => {
  const beside = (): (string | null)[] => [drafts.readDraft('ants', 'python'), drafts.readOther('ants', 'python')]
  const synced = (account: number, source: string): void => {
    drafts.writeDraft('ants', 'python', source)
    drafts.writeBase('ants', 'python', { account, revision: 3, print: drafts.fingerprint(source) })
  }
  synced(1, '# v1')
  drafts.writeOther('ants', 'python', '# first')
  drafts.pushOther('ants', 'python')
  drafts.writeOther('ants', 'python', '# second')
  expect(drafts.takeOver('ants', 'python', 1)).toBe(false)
  expect(drafts.takeOver('ants', 'python', 2)).toBe(true)
  expect(beside()).toEqual([null, null])
  expect(drafts.takeOver('ants', 'python', 2)).toBe(false)
  synced(2, '# v2')
  drafts.writeOther('ants', 'python', "# the next one's")
  expect(drafts.takeOver('ants', 'python', 1)).toBe(true)
  expect(beside()).toEqual([null, '# second'])
  expect([drafts.popOther('ants', 'python'), drafts.popOther('ants', 'python')]).toEqual(['# first', null])
  synced(1, '# v1')
  expect(drafts.takeOver('ants', 'python', 2)).toBe(true)
  expect(beside()).toEqual([null, "# the next one's"])
})

test('code that was written after the other account left stays, before what this account left', () => {
  drafts.writeDraft('ants', 'python', '# v1')
  drafts.writeOther('ants', 'python', '# first')
  drafts.writeBase('ants', 'python', { account: 1, revision: 3, print: drafts.fingerprint('# v1') })
  drafts.takeOver('ants', 'python', 2)
  drafts.writeDraft('ants', 'python', '# of nobody')
  drafts.writeOther('ants', 'python', '# beside it')
  expect(drafts.takeOver('ants', 'python', 1)).toBe(true)
  expect(kept()).toEqual(['# of nobody', '# beside it'])
  expect(drafts.popOther('ants', 'python')).toBe('# first')
})

test('what is beside the draft stays where the browser has no room to set it aside', () => {
  const storage = localStorage as unknown as Stored
  const set = storage.setItem.bind(storage)
  vi.stubGlobal('localStorage', Object.assign(storage, {
    setItem: (name: string, value: string) => {
      if (name.includes('.aside.')) throw new DOMException('', 'QuotaExceededError')
      set(name, value)
    },
  }))
  drafts.writeDraft('ants', 'python', '# v1')
  drafts.writeOther('ants', 'python', '# first')
  drafts.writeBase('ants', 'python', { account: 1, revision: 3, print: drafts.fingerprint('# v1') })
  drafts.takeOver('ants', 'python', 2)
  expect(storage.getItem('hexarena.draft.ants.python.other')).toBe('# first')
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
