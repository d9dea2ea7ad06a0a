/*
 * What not everybody sees before the end of a match: in a game that hides something, lines have it under `hidden`, for
 * each seat that sees it, and under NOBODY. Once the match is over, they have all of it, and this shows less again.
 */
import type { Frame, Header, Hidden } from './lines'

export const NOBODY = 'nobody'

/** Who looks: "all" sees everything, "watching" what those see who watch while it is played, a number what that seat sees. */
export type Viewpoint = 'all' | 'watching' | number

type Holder = { hidden?: Hidden }

/** Whether somebody sees more of this than somebody else. */
export const hides = (line: Header | Frame): boolean => (line as Holder).hidden !== undefined || initOf(line)?.hidden !== undefined

const initOf = (line: Header | Frame): Holder | undefined =>
  'init' in line && typeof line.init === 'object' && line.init !== null ? (line.init as Holder) : undefined

/** The line from there; the line itself where nothing is hidden. Notes are only for the seat that they are to. */
export function seenFrom<Line extends Header | Frame>(viewpoint: Viewpoint, line: Line): Line {
  if (viewpoint === 'all') return line
  const init = initOf(line)
  const seen = { ...without(viewpoint, line), ...(init ? { init: without(viewpoint, init) } : {}) } as Line
  if ('notes' in seen && seen.notes) seen.notes = seen.notes.filter(([seat]) => seat === viewpoint)
  return seen
}

function without<Some extends Holder | Header | Frame>(viewpoint: Viewpoint, holder: Some): Some {
  const { hidden, ...open } = holder as Some & Holder
  const own = hidden?.[viewpoint]
  return (own === undefined ? open : { ...open, hidden: { [viewpoint]: own } }) as Some
}
