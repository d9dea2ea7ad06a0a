/*
 * Reads an Ants replay: what a cell holds and who stands on it, turn by turn. replay.md describes the frames.
 */
import type { Frame, Header, Mark } from '$viewer/game'

export type Cell = number
export type Seat = number

/** `cells`: axial place, what lies there and how much; `bases`, `ants`: for each seat; `ants` for each cell. */
export interface Init {
  cells: [q: number, r: number, resource: Resource, amount: number][]
  bases: Cell[][]
  ants: number[][]
}
export enum Resource {
  None,
  Egg,
  Crystal,
}

export type Move = [seat: Seat, from: Cell, to: Cell, ants: number]
export type Beacon = [cell: Cell, strength: number]

export interface AntsFrame extends Frame {
  /** Moves, a text for each seat; in old replays a list. `movesOf` reads both. */
  m: string[] | Move[]
  /** Harvests, each with its way from the resource to a base. */
  h: [seat: Seat, cell: Cell, amount: number, route: Cell[]][]
  /** Beacons of each seat, as a text; in old replays as a list. `beaconsOf` reads both. */
  b: (string | Beacon[])[]
  /** New ants on each base of a seat. */
  n?: number[]
  /** Points of each seat. */
  s: number[]
  msg?: string[]
}

/** `left`: what each cell still holds; `ants`: for each seat and cell; `points`: for each seat. */
export interface State {
  left: number[]
  ants: number[][]
  points: number[]
}

export const SEATS: Seat[] = [0, 1]
/** From this many new ants on, hatching is worth a mark on the seek bar. */
const BIG_BROOD = 8

export function start({ init }: Header<Init>): State {
  return {
    left: init.cells.map(([, , , amount]) => amount),
    ants: init.ants.map((cells) => [...cells]),
    points: SEATS.map(() => 0),
  }
}

export function step(before: State, frame: AntsFrame, { init }: Header<Init>): State {
  const left = [...before.left]
  const ants = before.ants.map((cells) => [...cells])
  for (const [seat, from, to, count] of movesOf(frame, init)) {
    ants[seat]![from]! -= count
    ants[seat]![to]! += count
  }
  for (const [, cell, amount] of frame.h) left[cell] = Math.max(0, left[cell]! - amount)
  frame.n?.forEach((count, seat) => {
    for (const base of init.bases[seat]!) ants[seat]![base]! += count
  })
  return { left, ants, points: frame.s }
}

export function marks(frame: AntsFrame, { players }: Header<Init>): Mark[] {
  const broods = (frame.n ?? []).flatMap((count, seat) =>
    count >= BIG_BROOD ? [{ label: `${players[seat]!.bot} hatches ${count} ants`, player: seat }] : [],
  )
  const messages = (frame.msg ?? []).flatMap((text, seat) =>
    text ? [{ label: `${players[seat]!.bot}: ${text}`, player: seat }] : [],
  )
  return [...broods, ...messages]
}

/** "1 ant", "5 ants". */
export const counted = (ants: number): string => `${ants} ${ants === 1 ? 'ant' : 'ants'}`

export const total = (values: number[]): number => values.reduce((sum, value) => sum + value, 0)

// --- Texts of a frame ---------------------------------------------------------------------------------------------

/** Axial steps of the six directions, a to f. */
export const WAYS: [dq: number, dr: number][] = [
  [1, 0],
  [1, -1],
  [0, -1],
  [-1, 0],
  [-1, 1],
  [0, 1],
]
const FIRST_WAY = 'a'.charCodeAt(0)
const readMoves = new WeakMap<AntsFrame, Move[]>()
const readBeacons = new WeakMap<AntsFrame, Beacon[][]>()

export function movesOf(frame: AntsFrame | null | undefined, init: Init): Move[] {
  if (!frame) return []
  const known = readMoves.get(frame)
  if (known) return known
  const moves = frame.m.flatMap((part, seat) => (typeof part === 'string' ? movesIn(part, seat, init) : [part]))
  readMoves.set(frame, moves)
  return moves
}

function movesIn(text: string, seat: Seat, init: Init): Move[] {
  const cells = cellsByPlace(init)
  return withCells(text).flatMap(([from, rest]) => {
    const [q, r] = init.cells[from]!
    return [...rest.matchAll(/([a-f])(\d*)/g)].map(([, way, ants]): Move => {
      const [dq, dr] = WAYS[way!.charCodeAt(0) - FIRST_WAY]!
      return [seat, from, cells.get(`${q + dq},${r + dr}`)!, Number(ants || 1)]
    })
  })
}

export const cellsByPlace = (init: Init): Map<string, Cell> => new Map(init.cells.map(([q, r], cell) => [`${q},${r}`, cell]))

export function beaconsOf(frame: AntsFrame | null | undefined): Beacon[][] {
  if (!frame) return []
  const known = readBeacons.get(frame)
  if (known) return known
  const beacons = frame.b.map((part) => (typeof part === 'string' ? beaconsIn(part) : part))
  readBeacons.set(frame, beacons)
  return beacons
}

function beaconsIn(text: string): Beacon[] {
  let strength = 1
  return withCells(text).map(([cell, rest]) => {
    if (rest) strength = Number(rest.slice(1))
    return [cell, strength]
  })
}

/** The words of a text, each with its cell: it begins with how many were skipped since the one before. */
function withCells(text: string): [cell: Cell, rest: string][] {
  let cell = -1
  return text
    .split(',')
    .slice(0, -1)
    .map((word) => {
      const gap = /^\d*/.exec(word)![0]
      cell += Number(gap) + 1
      return [cell, word.slice(gap.length)]
    })
}
