/* Reads a Tron replay: trails that grow a cell a turn, until their cycle crashes. replay.md has the frames. */
import type { Frame, Header, Mark } from '$viewer/game'

export type Seat = number
export type Point = [x: number, y: number]

/** `start`: seat -> the cell on which its cycle begins. */
export interface Init {
  w: number
  h: number
  start: Point[]
}

/** `of`: whose trail it was, or whom the cycle met. */
export interface CrashFrame {
  p: Seat
  by: 'wall' | 'trail' | 'meeting' | 'fault'
  of?: Seat[]
}

/** `m`: a letter for each seat, U, D, L, R, or `.` for none. */
export interface TronFrame extends Frame {
  m: string
  x?: CrashFrame[]
}

/** `aim`: the cell that the cycle rode to; its own where it made no move. */
export interface Crash {
  seat: Seat
  cause: CrashFrame['by']
  others: Seat[]
  turn: number
  at: Point
  aim: Point
}

/** `trails`: seat -> cells from the start to the head; empty once it is out. `crashes`: seat -> how it went out. */
export interface State {
  turn: number
  trails: Point[][]
  crashes: (Crash | null)[]
}

const STEPS: Record<string, Point> = { U: [0, -1], D: [0, 1], L: [-1, 0], R: [1, 0] }

export const start = ({ init }: Header<Init>): State => ({
  turn: 0,
  trails: init.start.map((at) => [at]),
  crashes: init.start.map(() => null),
})

export function step(before: State, frame: TronFrame): State {
  const crashes = [...before.crashes]
  const crashed = new Set(frame.x?.map(({ p }) => p))
  for (const { p, by, of } of frame.x ?? []) {
    const at = headOf(before, p)
    if (at) crashes[p] = { seat: p, cause: by, others: of ?? [], turn: frame.t, at, aim: aimOf(at, frame.m[p]) }
  }
  const trails = before.trails.map((trail, seat) => {
    if (crashed.has(seat)) return []
    const head = trail.at(-1)
    return head && STEPS[frame.m[seat] ?? ''] ? [...trail, aimOf(head, frame.m[seat])] : trail
  })
  return { turn: frame.t, trails, crashes }
}

/** Where a cycle is; null once it is out. */
export const headOf = (state: State, seat: Seat): Point | null => state.trails[seat]?.at(-1) ?? null

export const riding = (state: State): Seat[] => state.trails.flatMap((trail, seat) => (trail.length > 0 ? [seat] : []))

/** How many turns a seat has survived. */
export const survived = (state: State, seat: Seat): number => {
  const crash = state.crashes[seat]
  return crash ? crash.turn - 1 : state.turn
}

function aimOf([x, y]: Point, letter: string | undefined): Point {
  const [dx, dy] = STEPS[letter ?? ''] ?? [0, 0]
  return [x + dx, y + dy]
}

// --- In words -------------------------------------------------------------------------------------------------------

/** How a seat crashed, e.g. "ada rode into the trail of bob". */
export function said({ seat, cause, others }: Pick<Crash, 'seat' | 'cause' | 'others'>, header: Pick<Header, 'players'>): string {
  const name = nameOf(header, seat)
  if (cause === 'wall') return `${name} rode into the wall`
  if (cause === 'meeting') return `${name} met ${listed(others.map((other) => nameOf(header, other)))} on one cell`
  if (cause === 'fault') return `${name} gave no valid direction`
  return `${name} rode into ${others[0] === seat ? 'its own trail' : `the trail of ${nameOf(header, others[0] ?? seat)}`}`
}

export const nameOf = ({ players }: Pick<Header, 'players'>, seat: Seat): string => players[seat]?.bot ?? `seat ${seat}`

export const listed = (names: string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`

/** The shell marks faults itself. */
export const marks = (frame: TronFrame, header: Header<Init>): Mark[] =>
  (frame.x ?? [])
    .filter(({ by }) => by !== 'fault')
    .map(({ p, by, of }) => ({ label: said({ seat: p, cause: by, others: of ?? [] }, header), player: p }))

/** "1 cell", "5 cells". */
export const cells = (count: number): string => `${count} ${count === 1 ? 'cell' : 'cells'}`
