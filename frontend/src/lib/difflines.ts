/* Two texts as the rows of a unified diff. `diffLines` comes from the package `diff`, loaded when it is needed. Pure. */
import type { ChangeObject, diffLines } from 'diff'

/** A line, with its number in the texts that have it; or a gap: so many lines that are the same in both. */
export interface Row {
  kind: 'same' | 'gone' | 'new' | 'gap'
  old?: number
  new?: number
  text: string
  /** Of a gap: how many lines it leaves out. */
  hidden?: number
}

export interface FileDiff {
  path: string
  state: 'changed' | 'same' | 'added' | 'removed' | 'binary'
  rows: Row[]
  added: number
  removed: number
}

/** A file as the API has it; text null: not UTF-8. */
export interface SourceText {
  path: string
  text: string | null
}

const CONTEXT = 3
/** For texts so different that the shortest diff would take too long. */
const PATIENCE_MS = 3000

/** All files of two versions, in the order of their paths. */
export function filesDiff(diff: typeof diffLines, before: SourceText[], after: SourceText[]): FileDiff[] {
  const olds = new Map(before.map((file) => [file.path, file.text]))
  const news = new Map(after.map((file) => [file.path, file.text]))
  const paths = [...new Set([...olds.keys(), ...news.keys()])].sort()
  return paths.map((path) => fileDiff(diff, path, olds.get(path), news.get(path)))
}

function fileDiff(diff: typeof diffLines, path: string, before: string | null | undefined, after: string | null | undefined): FileDiff {
  const state = before === undefined ? 'added' : after === undefined ? 'removed' : before === after ? 'same' : 'changed'
  if (before === null || after === null) return { path, state: state === 'changed' ? 'binary' : state, rows: [], added: 0, removed: 0 }
  const changes = diff(before ?? '', after ?? '', { timeout: PATIENCE_MS }) ?? replaced(before ?? '', after ?? '')
  const rows = rowsOf(changes)
  const count = (kind: Row['kind']): number => rows.filter((row) => row.kind === kind).length
  return { path, state, rows, added: count('new'), removed: count('gone') }
}

/** Everything goes and everything comes. */
const replaced = (before: string, after: string): ChangeObject<string>[] => [
  { value: before, removed: true, added: false, count: 0 },
  { value: after, removed: false, added: true, count: 0 },
]

export function rowsOf(changes: ChangeObject<string>[]): Row[] {
  let old = 0
  let fresh = 0
  return changes.flatMap(({ value, added, removed }) =>
    linesOf(value).map((text): Row => {
      if (added) return { kind: 'new', new: ++fresh, text }
      if (removed) return { kind: 'gone', old: ++old, text }
      return { kind: 'same', old: ++old, new: ++fresh, text }
    }),
  )
}

function linesOf(value: string): string[] {
  if (value === '') return []
  const lines = value.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The rows with only some lines around each change. */
export function withGaps(rows: Row[], context = CONTEXT): Row[] {
  const near = new Set<number>()
  rows.forEach((row, index) => {
    if (row.kind === 'same') return
    for (let other = index - context; other <= index + context; other++) near.add(other)
  })
  const shown: Row[] = []
  rows.forEach((row, index) => {
    const last = shown.at(-1)
    if (near.has(index)) shown.push(row)
    else if (last?.kind === 'gap') last.hidden = (last.hidden ?? 0) + 1
    else shown.push({ kind: 'gap', text: '', hidden: 1 })
  })
  return shown
}
