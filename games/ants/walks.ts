/*
 * Ants one by one. A replay only counts them; here each gets a slot in its cell, so that the same ant can be drawn on
 * its way from one state to the next: who stays keeps its slot, who leaves is among the last ones, and who arrives or
 * hatches takes the free slots. Every ant of both states is in exactly one walk.
 */
import { contests } from './chains'
import { centre, RADIUS, type Point } from './places'
import { movesOf, SEATS, type AntsFrame, type Cell, type Init, type Seat, type State } from './state'
import type { Header } from '$viewer/game'

/** `from` is null for an ant that hatches in this turn. */
export interface Walk {
  seat: Seat
  from: { cell: Cell; slot: number } | null
  to: { cell: Cell; slot: number }
}

const known = new WeakMap<State, { frame: AntsFrame | undefined; walks: Walk[] }>()

/** The walks from a state through a frame; without a frame, all stand still. */
export function walksOf(before: State, frame: AntsFrame | undefined, init: Init): Walk[] {
  const made = known.get(before)
  if (made && made.frame === frame) return made.walks
  const walks = SEATS.flatMap((seat) => seatWalks(seat, before, frame, init))
  known.set(before, { frame, walks })
  return walks
}

function seatWalks(seat: Seat, before: State, frame: AntsFrame | undefined, init: Init): Walk[] {
  const staying = before.ants[seat]!.map((ants) => Math.max(0, ants))
  const leaving: [from: Cell, slot: number, to: Cell][] = []
  for (const [mover, from, to, count] of movesOf(frame, init)) {
    if (mover !== seat) continue
    for (let i = 0; i < count && staying[from]! > 0; i++) leaving.push([from, --staying[from]!, to])
  }
  const filled = [...staying]
  const walks = staying.flatMap((ants, cell) =>
    Array.from({ length: ants }, (_, slot): Walk => ({ seat, from: { cell, slot }, to: { cell, slot } })),
  )
  for (const [cell, slot, to] of leaving) walks.push({ seat, from: { cell, slot }, to: { cell: to, slot: filled[to]!++ } })
  const born = frame?.n?.[seat] ?? 0
  for (const base of init.bases[seat] ?? []) {
    for (let i = 0; i < born; i++) walks.push({ seat, from: null, to: { cell: base, slot: filled[base]!++ } })
  }
  return walks
}

// --- Where an ant stands ------------------------------------------------------------------------------------------

const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5))
/** Ants keep this distance if there is room, and stay within the cell if there is not. */
const DISTANCE = 6.4
const OUTER = RADIUS * 0.76
/** The ring around what lies in the cell's middle. */
const INNER = 13

/** The part of a cell that a seat's ants stand on: a sector of a ring. */
interface Ground {
  centre: Point
  inner: number
  pace: number
  middle: number
  width: number
}

const grounds = new WeakMap<State, Ground[][]>()

function groundsOf(state: State, header: Header<Init>): Ground[][] {
  let made = grounds.get(state)
  if (!made) {
    const shares = new Map(contests(state, header).map(({ cell, share }) => [cell, share]))
    made = SEATS.map((seat) => header.init.cells.map((_, cell) => groundOf(state, header.init, seat, cell, shares.get(cell))))
    grounds.set(state, made)
  }
  return made
}

function groundOf(state: State, init: Init, seat: Seat, cell: Cell, share: number | undefined): Ground {
  const part = share === undefined ? 1 : seat === 0 ? share : 1 - share
  const occupied = state.left[cell]! > 0
  const inner = occupied ? INNER : 3
  const ants = Math.max(1, state.ants[seat]![cell]!)
  const pace = Math.min(DISTANCE / Math.sqrt(part), (OUTER - inner) / Math.sqrt(ants))
  // A little of each sector stays free along the front.
  const width = share === undefined ? 2 * Math.PI : 2 * Math.PI * part * 0.86
  return { centre: centre(init, cell), inner, pace, middle: seat === 0 ? Math.PI : 0, width }
}

/** The place of a slot: a spiral of equal density, like the seeds of a sunflower. */
export function standing(state: State, header: Header<Init>, seat: Seat, cell: Cell, slot: number): Point {
  const { centre: [x, y], inner, pace, middle, width } = groundsOf(state, header)[seat]![cell]!
  const turn = (((slot + 1) * GOLDEN_ANGLE + cell) / (2 * Math.PI)) % 1
  const angle = middle + (turn - 0.5) * width
  const radius = inner + pace * Math.sqrt(slot + 0.4)
  return [x + Math.cos(angle) * radius, y + Math.sin(angle) * radius * 0.94]
}

/** A walk in the picture: from where to where, with which headings before, on the way and after. */
export interface Way {
  seat: Seat
  /** It leaves its cell; who stays only makes room. */
  leaves: boolean
  hatches: boolean
  cell: Cell
  x1: number
  y1: number
  x2: number
  y2: number
  first: number
  heading: number
  last: number
  /** The part of the walking after which it starts, and how far to the right of the straight way it keeps. */
  late: number
  side: number
}

/** The part of the walking by which the last ant starts after the first one. */
const SPREAD = 0.35
/** So that two streams can pass each other. */
const LANE = 5.5
const TURNING = 0.16

/** A number from 0 to 1 that looks random, and is always the same for the same ant. */
const chance = (seed: number): number => {
  const mixed = Math.imul(seed ^ (seed >>> 7), 0x9e3779b1) >>> 0
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
}
const seedOf = (seat: Seat, { cell, slot }: Walk['to']): number => seat * 7919 + cell * 131 + slot

const knownWays = new WeakMap<State, { frame: AntsFrame | undefined; after: State; ways: Way[] }>()

/** The ways from a state to the next one through a frame; they stay the same while the turn is drawn. */
export function waysOf(before: State, frame: AntsFrame | undefined, after: State, header: Header<Init>): Way[] {
  const made = knownWays.get(before)
  if (made && made.frame === frame && made.after === after) return made.ways
  const ways = walksOf(before, frame, header.init).map((walk) => wayOf(walk, before, after, header))
  knownWays.set(before, { frame, after, ways })
  return ways
}

export function wayOf({ seat, from, to }: Walk, before: State, after: State, header: Header<Init>): Way {
  const [x2, y2] = standing(after, header, seat, to.cell, to.slot)
  const [x1, y1] = from ? standing(before, header, seat, from.cell, from.slot) : [x2, y2]
  const seed = seedOf(seat, to)
  const last = chance(seed) * 2 * Math.PI
  return {
    seat,
    leaves: from !== null && from.cell !== to.cell,
    hatches: from === null,
    cell: to.cell,
    x1,
    y1,
    x2,
    y2,
    first: from ? chance(seedOf(seat, from)) * 2 * Math.PI : last,
    heading: Math.atan2(y2 - y1, x2 - x1),
    last,
    late: chance(seed + 17) * SPREAD,
    side: LANE * (0.55 + chance(seed + 5) * 0.9),
  }
}

/** Where an ant is; `heading` in radians. */
export interface Ant {
  x: number
  y: number
  heading: number
}

/** Sets where the ant of a way is when `done` of the turn's walking is over. Fills what it is given: this runs often. */
export function putAnt(ant: Ant, way: Way, done: number): void {
  if (!way.leaves) {
    const k = smooth(done)
    ant.x = way.x1 + (way.x2 - way.x1) * k
    ant.y = way.y1 + (way.y2 - way.y1) * k
    ant.heading = way.first + turned(way.first, way.last) * k
    return
  }
  const k = smooth(Math.max(0, Math.min(1, done * (1 + SPREAD) - way.late)))
  const side = Math.sin(Math.PI * k) * way.side
  ant.x = way.x1 + (way.x2 - way.x1) * k - Math.sin(way.heading) * side
  ant.y = way.y1 + (way.y2 - way.y1) * k + Math.cos(way.heading) * side
  ant.heading = headingAt(k, way.first, way.heading, way.last)
}

const smooth = (k: number): number => k * k * (3 - 2 * k)

/** Turns to the way at its beginning, and from it at its end. */
function headingAt(k: number, first: number, way: number, last: number): number {
  if (k < TURNING) return first + turned(first, way) * (k / TURNING)
  if (k > 1 - TURNING) return way + turned(way, last) * ((k - 1 + TURNING) / TURNING)
  return way
}

/** The shorter turn from one heading to another. */
function turned(from: number, to: number): number {
  const turn = (to - from) % (2 * Math.PI)
  return turn > Math.PI ? turn - 2 * Math.PI : turn < -Math.PI ? turn + 2 * Math.PI : turn
}
