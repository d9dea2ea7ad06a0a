import { diffLines } from 'diff'
import { expect, test } from 'vitest'
import { filesDiff, rowsOf, withGaps, type FileDiff } from '../src/lib/difflines'
import { changedResults, total } from '../src/lib/changed'
import type { OpponentResult } from '../src/lib/types'

const compared = (before: Record<string, string | null>, after: Record<string, string | null>): FileDiff[] => {
  const files = (texts: Record<string, string | null>) => Object.entries(texts).map(([path, text]) => ({ path, text }))
  return filesDiff(diffLines, files(before), files(after))
}

test('lines that differ have a sign, all have their numbers', () => {
  const [file] = compared({ 'a.py': 'one\ntwo\nthree\n' }, { 'a.py': 'one\n2\nthree\nfour' })
  expect(file!.rows.map(({ kind, old, new: fresh, text }) => [kind, old, fresh, text])).toEqual([
    ['same', 1, 1, 'one'],
    ['gone', 2, undefined, 'two'],
    ['new', undefined, 2, '2'],
    ['same', 3, 3, 'three'],
    ['new', undefined, 4, 'four'],
  ])
  expect([file!.state, file!.added, file!.removed]).toEqual(['changed', 2, 1])
})

test('files come and go, and some are not text', () => {
  const files = compared({ a: 'x\n', b: 'y\n', c: null, e: null }, { b: 'y\n', c: null, d: 'z\n', e: 'text' })
  expect(files.map(({ path, state, added, removed }) => [path, state, added, removed])).toEqual([
    ['a', 'removed', 0, 1],
    ['b', 'same', 0, 0],
    ['c', 'same', 0, 0],
    ['d', 'added', 1, 0],
    ['e', 'binary', 0, 0],
  ])
})

test('texts that take too long to compare are shown one after the other', () => {
  const [file] = filesDiff((() => undefined) as unknown as typeof diffLines, [{ path: 'a', text: 'x\n' }], [{ path: 'a', text: 'y\n' }])
  expect(file!.rows.map(({ kind, text }) => [kind, text])).toEqual([
    ['gone', 'x'],
    ['new', 'y'],
  ])
})

test('equal lines far from a change are one gap', () => {
  const lines = Array.from({ length: 9 }, (_, index) => `${index}`)
  const rows = rowsOf(diffLines(lines.join('\n'), [...lines.slice(0, 4), 'new', ...lines.slice(4)].join('\n')))
  expect(withGaps(rows, 1).map((row) => (row.kind === 'gap' ? `${row.hidden} equal` : `${row.kind} ${row.text}`))).toEqual(['3 equal', 'same 3', 'new new', 'same 4', '4 equal'])
  expect(withGaps([])).toEqual([])
})

const result = (opponent_id: number, won: number, lost: number): OpponentResult => ({ opponent_id, opponent: `bot ${opponent_id}`, seat: 0, won, drawn: 0, lost, repeats: 0 })

test('results are compared by opponent, what became worse first', () => {
  const rows = changedResults([result(1, 1, 1), result(2, 4, 0), result(3, 1, 0), result(5, 0, 0)], [result(1, 2, 0), result(2, 1, 3), result(4, 0, 2)])
  expect(rows.map(({ id, change }) => [id, change])).toEqual([
    [2, -0.75],
    [1, 0.5],
    [3, null],
    [4, null],
  ])
  expect([rows[2]!.after, rows[3]!.before]).toEqual([null, null])
  expect(total([result(1, 1, 2), result(2, 3, 4)])).toEqual({ won: 4, drawn: 0, lost: 6 })
})
