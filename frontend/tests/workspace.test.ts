import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Starter } from '../src/lib/types'

class FakeEditor {
  text = ''
  setText(text: string): void {
    this.text = text
  }
  open(text: string): void {
    this.text = text
  }
  async setLanguage(): Promise<void> {}
  mark(): void {}
  destroy(): void {}
}

let stored: Map<string, string>
let page: EventTarget
/** What is typed is saved some time later, by then into the storage of another test. */
const opens: { close(): void }[] = []
beforeEach(() => {
  stored = new Map()
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  })
  page = new EventTarget()
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }))
  vi.stubGlobal('window', { setTimeout, addEventListener: page.addEventListener.bind(page) })
  vi.resetModules()
})
afterEach(() => {
  for (const workspace of opens.splice(0)) workspace.close()
  vi.unstubAllGlobals()
})
beforeAll(() => {
  vi.doMock('../src/editor/editor', () => ({ Editor: FakeEditor }))
  vi.doMock('../src/lib/connection.svelte', () => ({ connection: { whenBack: () => () => {} } }))
})
afterAll(() => {
  vi.doUnmock('../src/editor/editor')
  vi.doUnmock('../src/lib/connection.svelte')
  vi.resetModules()
})

/** A workspace whose draft in Python is this. */
async function opened(draft: string | null) {
  const { Workspace } = await import('../src/editor/workspace.svelte')
  const drafts = await import('../src/lib/drafts')
  if (draft !== null) drafts.writeDraft('ants', 'python', draft)
  const workspace = new Workspace('ants')
  opens.push(workspace)
  await workspace.open({} as HTMLElement, [{ language: 'python', file: 'bot.py', source: '# starter' } as Starter], () => {})
  await workspace.setLanguage('python')
  return { workspace, drafts }
}

test('what a file replaces is kept beside it', async () => {
  const { workspace } = await opened('# mine')
  expect(await workspace.openFile('python', '# file\r\n# two lines')).toBe(true)
  expect([workspace.text, workspace.other, workspace.changed]).toEqual(['# file\n# two lines', '# mine', true])
})

test('the starter is not kept', async () => {
  const { workspace } = await opened(null)
  expect(await workspace.openFile('python', '# file')).toBe(true)
  expect([workspace.text, workspace.other]).toEqual(['# file', null])
})

test('a file of another language is kept beside what was written in that one', async () => {
  const { workspace, drafts } = await opened('# mine')
  drafts.writeDraft('ants', 'cpp', '// mine')
  expect(await workspace.openFile('cpp', '// file')).toBe(true)
  expect([workspace.language, workspace.text, workspace.other]).toEqual(['cpp', '// file', '// mine'])
  expect(drafts.readDraft('ants', 'python')).toBe('# mine')
})

test('a file may be opened again and again, unless its code was changed in the editor', async () => {
  const { workspace } = await opened('# mine')
  for (const text of ['# first', '# second']) {
    expect(await workspace.openFile('python', text)).toBe(true)
    expect([workspace.text, workspace.other]).toEqual([text, '# mine'])
  }
  workspace.replace('# second, changed')
  expect(await workspace.openFile('python', '# third')).toBe(false)
  expect([workspace.text, workspace.other]).toEqual(['# second, changed', '# mine'])
})

test("another computer's code takes the place of none that was kept beside the draft", async () => {
  const { workspace, drafts } = await opened('# mine')
  await workspace.openFile('python', '# file')
  workspace.meet('# elsewhere')
  workspace.meet('# elsewhere, newer')
  expect([workspace.text, workspace.other]).toEqual(['# file', '# elsewhere, newer'])
  workspace.keepThis()
  expect([workspace.other, drafts.readOther('ants', 'python')]).toEqual(['# mine', '# mine'])
  workspace.keepThis()
  expect([workspace.other, drafts.readOther('ants', 'python')]).toEqual([null, null])
})

/** Another tab saves the same draft. */
function saveElsewhere(drafts: typeof import('../src/lib/drafts'), newValue: string): void {
  drafts.writeDraft('ants', 'python', newValue)
  page.dispatchEvent(Object.assign(new Event('storage'), { key: drafts.draftKey('ants', 'python'), newValue }))
}

test('where a file cannot be opened, the code that another tab keeps beside the draft is shown', async () => {
  const { workspace, drafts } = await opened('# mine')
  drafts.writeOther('ants', 'python', "# another tab's")
  expect(await workspace.openFile('python', '# file')).toBe(false)
  expect([workspace.text, workspace.other]).toEqual(['# mine', "# another tab's"])
})

test("what another tab's code leaves in this one is kept beside the draft, but for the starter", async () => {
  const { workspace, drafts } = await opened(null)
  saveElsewhere(drafts, '# elsewhere')
  expect([workspace.other, drafts.readOther('ants', 'python')]).toEqual(['# elsewhere', null])
  workspace.replace('# mine')
  saveElsewhere(drafts, '# elsewhere, newer')
  expect([workspace.other, drafts.readOther('ants', 'python')]).toEqual(['# elsewhere, newer', '# mine'])
})

test("another tab's code takes the place of none that was kept beside the draft", async () => {
  const { workspace, drafts } = await opened('# mine')
  drafts.writeOther('ants', 'python', '# older')
  await workspace.setLanguage('python')
  expect(workspace.other).toBe('# older')
  saveElsewhere(drafts, '# elsewhere')
  expect([workspace.other, drafts.readOther('ants', 'python')]).toEqual(['# elsewhere', '# mine'])
  // The other tab keeps its own code there, once this one is typed in.
  drafts.writeOther('ants', 'python', '# elsewhere')
  workspace.replace('# mine, newer')
  saveElsewhere(drafts, '# elsewhere, newer')
  workspace.keepThis()
  expect(workspace.other).toBe('# older')
  workspace.keepThis()
  expect(workspace.other).toBeNull()
})

/** The arena's copies of the draft in Python, by account. */
function arenaWith(copies: Record<number, string>) {
  const now = { account: 0 }
  vi.stubGlobal('fetch', async (_: string, init?: RequestInit) => {
    if (init?.body) copies[now.account] = (JSON.parse(init.body as string) as { source: string }).source
    const source = copies[now.account] ?? null
    return Response.json({ source, revision: source === null ? 0 : 1, stored: true })
  })
  return now
}

test("the next account sees its own code beside the draft, and the first one finds its own again", async () => {
  const now = arenaWith({ 1: '# v1', 2: '# mine' })
  const { workspace, drafts } = await opened('# first')
  drafts.openDraft('ants', 'python', '# v1', '# starter')
  const signIn = async (account: number): Promise<void> => {
    now.account = account
    workspace.kept.keepFor(account)
    await vi.waitFor(() => expect(workspace.kept.state).toBe('kept'))
    // Nobody is signed in between two accounts.
    workspace.kept.keepFor(null)
  }
  await workspace.setLanguage('python')
  await signIn(1)
  expect([workspace.text, workspace.other]).toEqual(['# v1', '# first'])
  await signIn(2)
  expect([workspace.text, workspace.other]).toEqual(['# mine', null])
  await signIn(1)
  expect([workspace.text, workspace.other]).toEqual(['# v1', '# first'])
})

test("nothing of the last account's is seen, or kept beside a version, before the arena has answered", async () => {
  arenaWith({})
  const { workspace, drafts } = await opened('# v1')
  drafts.writeOther('ants', 'python', '# first')
  drafts.writeBase('ants', 'python', { account: 1, revision: 1, print: drafts.fingerprint('# v1') })
  workspace.kept.keepFor(2)
  expect([workspace.text, workspace.changed, workspace.other]).toEqual(['# starter', false, null])
  drafts.writeDraft('ants', 'cpp', '// first')
  drafts.writeBase('ants', 'cpp', { account: 1, revision: 1, print: drafts.fingerprint('// first') })
  workspace.kept.takeOver('cpp')
  expect(drafts.openDraft('ants', 'cpp', '// v7', '// starter')).toBe(true)
  expect(drafts.readOther('ants', 'cpp')).toBeNull()
})

test("an answer to the last account, which comes after the next one signed in, is not taken for the next one's", async () => {
  const answers: ((source: string) => void)[] = []
  const pushed: unknown[] = []
  vi.stubGlobal('fetch', (_: string, init?: RequestInit) => {
    if (init?.body) pushed.push(init.body)
    return new Promise<Response>((resolve) => answers.push((source) => resolve(Response.json({ source, revision: 1, stored: true }))))
  })
  const { workspace } = await opened(null)
  workspace.kept.keepFor(1)
  await vi.waitFor(() => expect(answers).toHaveLength(1))
  workspace.kept.keepFor(2)
  answers[0]!('# first')
  await vi.waitFor(() => expect(answers).toHaveLength(2))
  expect(workspace.text).toBe('# starter')
  answers[1]!('# mine')
  await vi.waitFor(() => expect(workspace.kept.state).toBe('kept'))
  expect([workspace.text, pushed]).toEqual(['# mine', []])
})

test('code that is on its way to the arena when somebody else signs in stays its account\'s', async () => {
  const copies: Record<number, string> = {}
  const now = arenaWith(copies)
  const { workspace } = await opened('# starter')
  now.account = 1
  workspace.kept.keepFor(1)
  await vi.waitFor(() => expect(workspace.kept.state).toBe('kept'))
  workspace.replace('# first')
  workspace.kept.pushNow()
  await Promise.resolve()
  workspace.kept.keepFor(2)
  await vi.waitFor(() => expect(copies[1]).toBe('# first'))
  now.account = 2
  await vi.waitFor(() => expect(workspace.kept.state).toBe('kept'))
  expect([workspace.text, copies[2]]).toEqual(['# starter', undefined])
})
