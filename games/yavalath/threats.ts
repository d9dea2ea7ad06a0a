/*
 * What each cell is worth to each seat at once: a line of four or more wins, exactly three lose. From that follow the
 * replies that a seat is forced to.
 */
import { PLACES, ROW_LENGTHS, WINNING, type Point, type Seat, type State } from './state'

export interface Threats {
  /** Seat -> cells where a stone of the seat wins, and where it loses. */
  wins: Point[][]
  losses: Point[][]
  /** Who moves next. */
  mover: Seat
  /** Where the mover has to play because the other seat would win there; empty if it can win itself. */
  forced: Point[]
}

const SEATS: Seat[] = [0, 1]
const LOSING = WINNING - 1
const MIDDLE_ROW = 4

const name = (x: number, y: number): string => `${x},${y}`

/** In axial coordinates a step along a line is always the same. */
const toAxial = ([x, y]: Point): Point => [x - Math.min(y, MIDDLE_ROW), y]
const fromAxial = (q: number, y: number): Point => [q + Math.min(y, MIDDLE_ROW), y]
const DIRECTIONS: Point[] = [
  [1, 0],
  [0, 1],
  [1, -1],
]

function onBoard([x, y]: Point): boolean {
  return y >= 0 && y < ROW_LENGTHS.length && x >= 0 && x < ROW_LENGTHS[y]!
}

/** The longest line of a seat through a cell, once there is a stone of it. `owners`: cell -> seat. */
export function longestLine(owners: Map<string, Seat>, place: Point, seat: Seat): number {
  const [q, y] = toAxial(place)
  const run = (dq: number, dy: number): number => {
    let length = 0
    for (let step = 1; ; step++) {
      const next = fromAxial(q + step * dq, y + step * dy)
      if (!onBoard(next) || owners.get(name(...next)) !== seat) return length
      length++
    }
  }
  return Math.max(...DIRECTIONS.map(([dq, dy]) => 1 + run(dq, dy) + run(-dq, -dy)))
}

const known = new WeakMap<State, Threats>()

/** Nothing is threatened once the match is over. */
export function threatsOf(state: State): Threats {
  let found = known.get(state)
  if (!found) {
    found = state.line || state.bad ? { wins: [[], []], losses: [[], []], mover: 0, forced: [] } : search(state)
    known.set(state, found)
  }
  return found
}

function search(state: State): Threats {
  const owners = new Map(state.stones.map(({ x, y, seat }) => [name(x, y), seat]))
  const empty = PLACES.filter(([x, y]) => !owners.has(name(x, y)))
  const lengths = SEATS.map((seat) => empty.map((place) => longestLine(owners, place, seat)))
  const wins = lengths.map((found) => empty.filter((_, i) => found[i]! >= WINNING))
  const losses = lengths.map((found) => empty.filter((_, i) => found[i] === LOSING))
  const mover = state.last ? 1 - state.last.seat : 0
  const forced = wins[mover]!.length > 0 ? [] : wins[1 - mover]!
  return { wins, losses, mover, forced }
}
