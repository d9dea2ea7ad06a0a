import { expect, test, vi } from 'vitest'
import { AuditLog, detailText, PAGE, withNewest } from '../src/lib/audit.svelte'
import { api } from '../src/lib/client'
import type { AuditItem } from '../src/lib/types'

/** From one id down to another. */
const items = (from: number, to: number): AuditItem[] =>
  Array.from({ length: from - to + 1 }, (_, i) => ({ id: from - i, at: '', by: null, action: '', event_id: null, detail: {} }))
const ids = (list: AuditItem[]): number[] => list.map(({ id }) => id)

test('new entries come above those that are shown, older pages stay', () => {
  expect(ids(withNewest(items(3, 1), items(5, 1)))).toEqual([5, 4, 3, 2, 1])
  const found = ids(withNewest(items(300, 101), items(302, 302 - PAGE + 1)))
  expect(found).toEqual(ids(items(302, 101)))
})

test('an empty log', () => expect(withNewest([], [])).toEqual([]))

test('entries that were not read in between leave no gap', () => {
  expect(ids(withNewest(items(50, 1), items(300, 201)))).toEqual(ids(items(300, 201)))
})

test('details are words, and times are as on the pages', () => {
  const said = detailText({ name: 'Cup', deadline: '2026-11-28T18:46:04.769451+00:00', changed: ['name', 'deadline'], bot_id: 7, extra: { a: 1 } })
  expect(detailText({ reason: '\u202eSpam', person_id: 12 })).toBe('reason: Spam, person id: 12')
  expect(said).toMatch(/^name: Cup, deadline: 2[89] Nov 2026, \d\d:\d\d, changed: name and deadline, bot id: 7, extra: \{"a":1\}$/)
})

test('an older page that comes while the newest is read stays', async () => {
  const answers: ((found: AuditItem[]) => void)[] = []
  const read = vi.spyOn(api, 'auditLog').mockImplementation(() => new Promise((resolve) => answers.push((found) => resolve({ items: found }))))
  try {
    const audit = new AuditLog()
    const first = audit.log.load()
    answers[0]!(items(300, 201))
    await first
    const newest = audit.log.load()
    const older = audit.older()
    answers[2]!(items(200, 101))
    await older
    answers[1]!(items(301, 202))
    await newest
    expect(ids(audit.log.value!)).toEqual(ids(items(301, 101)))
  } finally {
    read.mockRestore()
  }
})
