/*
 * Reads a TryAngle Catch replay. A turn is a row of stages (attacks, moves, spawns …), each with the board that it
 * leads to: the picture walks through them, and the last one's board is the state after the turn.
 * replay.md describes the frames.
 */
import type { Frame, Header, Mark } from '$viewer/game'

export type Seat = number
export type House = number
/** A path between two houses, the lower one first. */
export type Path = [House, House]
export type Corners = [House, House, House]

/** `triangles`: corners and a code, see `codeOf`; `units`: for each seat and house; `s`: scores. */
export interface Init {
  houses: [x: number, y: number][]
  paths: Path[]
  units: number[][]
  triangles: [...Corners, code: number][]
  s: number[]
}

/** Triangles are named by their positions before the turn, but in `o` by those after it. */
export interface TryFrame extends Frame {
  /** Attacks. */
  a?: [seat: Seat, triangle: number, house: House, killed: number][]
  /** Moves of each seat, packed, see `movesOf`. */
  m?: string[]
  /** New units. */
  n?: [seat: Seat, triangle: number, house: House][]
  /** Paths added, and removed. */
  p?: [seat: Seat, triangle: number, from: House, to: House][]
  r?: [seat: Seat, triangle: number, from: House, to: House][]
  /** Units killed because they were surrounded. */
  k?: [seat: Seat, house: House, units: number][]
  /** Triangles that are gone, and new ones. */
  g?: number[]
  w?: Corners[]
  /** Codes that changed, packed, see `codesOf`. */
  o?: string
  /** What is added to each score. */
  s?: number[]
  msg?: string[]
}

/** `owner` or null; `may`: for each seat whether it may capture. */
export interface Triangle {
  corners: Corners
  owner: Seat | null
  may: boolean[]
}

/** `units`: for each seat and house. A board is never changed once it is made. */
export interface Board {
  paths: Path[]
  units: number[][]
  triangles: Triangle[]
}
export interface State extends Board {
  scores: number[]
}

export interface Walk {
  seat: Seat
  from: House
  to: House
  units: number
}

/** A part of a turn: what happens, and the board after it. */
export type Stage = { after: Board } & (
  | { kind: 'attack'; attacks: { seat: Seat; triangle: Triangle; house: House; killed: number }[] }
  | { kind: 'move'; walks: Walk[] }
  | { kind: 'spawn'; spawns: { seat: Seat; triangle: Triangle; house: House }[] }
  | { kind: 'path'; changes: { seat: Seat; triangle: Triangle; path: Path; added: boolean }[] }
  | { kind: 'kill'; kills: { seat: Seat; house: House; units: number }[] }
  | { kind: 'capture'; captured: Triangle[] }
)

export const SEATS: Seat[] = [0, 1]
/** Codes from here on are of owned triangles, each owner's one after the other. */
const OWNED = 4
const FREE_TO_BOTH = 3
const FIRST_CHARACTER = '0'.charCodeAt(0)

export function start({ init }: Header<Init>): State {
  return {
    paths: init.paths,
    units: init.units,
    triangles: init.triangles.map(([a, b, c, code]) => triangleOf([a, b, c], code)),
    scores: init.s,
  }
}

export function step(before: State, frame: TryFrame): State {
  const board = stages(before, frame).at(-1)?.after ?? before
  return { ...board, scores: before.scores.map((score, seat) => score + (frame.s?.[seat] ?? 0)) }
}

const triangleOf = (corners: Corners, code: number): Triangle => ({
  corners,
  owner: code >= OWNED ? code - OWNED : null,
  may: SEATS.map((seat) => (code >= OWNED ? code - OWNED !== seat : ((code >> seat) & 1) === 1)),
})

// --- A turn, stage by stage ---------------------------------------------------------------------------------------

const known = new WeakMap<State, { frame: TryFrame; stages: Stage[] }>()

/** The stages of a turn in their order, only those in which something happens. */
export function stages(before: State, frame: TryFrame): Stage[] {
  const made = known.get(before)
  if (made?.frame === frame) return made.stages
  const found: Stage[] = []
  let board: Board = before
  for (const make of [attack, move, spawn, changePaths, kill, capture]) {
    const stage = make(board, frame, before)
    if (!stage) continue
    found.push(stage)
    board = stage.after
  }
  known.set(before, { frame, stages: found })
  return found
}

function attack(board: Board, { a = [] }: TryFrame, before: Board): Stage | null {
  if (!a.length) return null
  const units = copied(board.units)
  const attacks = a.map(([seat, position, house, killed]) => {
    const triangle = before.triangles[position]!
    pay(units[seat]!, triangle)
    units[1 - seat]![house] = 0
    return { seat, triangle, house, killed }
  })
  return { kind: 'attack', attacks, after: { ...used(board, attacks), units } }
}

function move(board: Board, { m = [] }: TryFrame, before: Board): Stage | null {
  const walks = movesOf(m, neighboursOf(before.paths, before.units[0]!.length))
  if (!walks.length) return null
  const units = copied(board.units)
  for (const walk of walks) {
    units[walk.seat]![walk.from]! -= walk.units
    units[walk.seat]![walk.to]! += walk.units
  }
  return { kind: 'move', walks, after: { ...board, units } }
}

function spawn(board: Board, { n = [] }: TryFrame, before: Board): Stage | null {
  if (!n.length) return null
  const units = copied(board.units)
  const spawns = n.map(([seat, position, house]) => {
    units[seat]![house]!++
    return { seat, triangle: before.triangles[position]!, house }
  })
  return { kind: 'spawn', spawns, after: { ...used(board, spawns), units } }
}

function changePaths(board: Board, { p = [], r = [], g = [], w = [] }: TryFrame, before: Board): Stage | null {
  if (!p.length && !r.length) return null
  const units = copied(board.units)
  const paths = new Map(board.paths.map((path) => [String(path), path]))
  const change = ([seat, position, from, to]: [Seat, number, House, House], added: boolean) => {
    const triangle = before.triangles[position]!
    const path: Path = from < to ? [from, to] : [to, from]
    pay(units[seat]!, triangle)
    if (added) paths.set(String(path), path)
    else paths.delete(String(path))
    return { seat, triangle, path, added }
  }
  const changes = [...p.map((one) => change(one, true)), ...r.map((one) => change(one, false))]
  const gone = new Set(g.map((position) => String(before.triangles[position]!.corners)))
  const kept = used(board, changes).triangles.filter(({ corners }) => !gone.has(String(corners)))
  const triangles = [...kept, ...w.map((corners) => triangleOf(corners, FREE_TO_BOTH))].sort(byCorners)
  return { kind: 'path', changes, after: { paths: [...paths.values()], units, triangles } }
}

function kill(board: Board, { k = [] }: TryFrame): Stage | null {
  if (!k.length) return null
  const units = copied(board.units)
  for (const [seat, house] of k) units[seat]![house] = 0
  return { kind: 'kill', kills: k.map(([seat, house, count]) => ({ seat, house, units: count })), after: { ...board, units } }
}

function capture(board: Board, { o = '' }: TryFrame): Stage | null {
  if (!o) return null
  const triangles = [...board.triangles]
  const captured: Triangle[] = []
  for (const [position, code] of codesOf(o)) {
    const changed = triangleOf(triangles[position]!.corners, code)
    triangles[position] = changed
    if (changed.owner !== null) captured.push(changed)
  }
  return { kind: 'capture', captured, after: { ...board, triangles } }
}

const copied = (units: number[][]): number[][] => units.map((houses) => [...houses])

/** One unit on each corner that has one. */
function pay(units: number[], { corners }: Triangle): void {
  for (const corner of corners) units[corner] = Math.max(0, units[corner]! - 1)
}

/** The board on which triangles that were used have no owner. Who may capture them is known at the end of the turn. */
function used(board: Board, uses: { seat: Seat; triangle: Triangle }[]): Board {
  const users = new Map(uses.map(({ seat, triangle }) => [String(triangle.corners), seat]))
  const triangles = board.triangles.map((triangle) => {
    const user = users.get(String(triangle.corners))
    return user === undefined ? triangle : { ...triangle, owner: null, may: SEATS.map((seat) => seat !== user) }
  })
  return { ...board, triangles }
}

function byCorners({ corners: a }: Triangle, { corners: b }: Triangle): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
}

// --- Packed texts -------------------------------------------------------------------------------------------------

/**
 * Seat -> for each house, after commas, a character for each unit that leaves it: the position of where it goes among
 * the house's neighbours.
 */
export function movesOf(texts: string[], neighbours: House[][]): Walk[] {
  return texts.flatMap((text, seat) =>
    text.split(',').flatMap((group, from) => {
      const counts = new Map<House, number>()
      for (const character of group) {
        const to = neighbours[from]![character.charCodeAt(0) - FIRST_CHARACTER]!
        counts.set(to, (counts.get(to) ?? 0) + 1)
      }
      return [...counts].map(([to, units]) => ({ seat, from, to, units }))
    }),
  )
}

/** Two characters a triangle: its position and its code. */
export function codesOf(text: string): [position: number, code: number][] {
  const numbers = [...text].map((character) => character.charCodeAt(0) - FIRST_CHARACTER)
  return Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i]!, numbers[2 * i + 1]!])
}

// --- The map ------------------------------------------------------------------------------------------------------

/** House -> its neighbours, ascending; itself, too, if a path leads from the house to itself. */
export function neighboursOf(paths: Path[], houses: number): House[][] {
  const found = Array.from({ length: houses }, () => new Set<House>())
  for (const [a, b] of paths) {
    found[a]!.add(b)
    found[b]!.add(a)
  }
  return found.map((set) => [...set].sort((a, b) => a - b))
}

/** Who owns a house when triangles are captured: who surrounds it, else who has more units on it. */
export function ownerOf({ units }: Board, house: House, neighbours: House[]): { seat: Seat; surrounds: boolean } | null {
  for (const seat of SEATS) {
    const all = neighbours.length > 0 && neighbours.every((next) => units[seat]![next]! > units[1 - seat]![next]!)
    if (all) return { seat, surrounds: true }
  }
  const seat = SEATS.find((one) => units[one]![house]! > units[1 - one]![house]!)
  return seat === undefined ? null : { seat, surrounds: false }
}

const LONGEST_PATH = 400

/** Pairs of houses that a path could join: near enough, and no path in between. */
export function linkable({ houses }: Init, paths: Path[]): Path[] {
  const joined = new Set(paths.map(String))
  const found: Path[] = []
  for (let a = 0; a < houses.length; a++) {
    for (let b = a + 1; b < houses.length; b++) {
      const [x1, y1] = houses[a]!
      const [x2, y2] = houses[b]!
      const near = (x1 - x2) ** 2 + (y1 - y2) ** 2 <= LONGEST_PATH ** 2
      if (near && !joined.has(`${a},${b}`) && !paths.some((path) => cross(houses, [a, b], path))) found.push([a, b])
    }
  }
  return found
}

function cross(houses: Init['houses'], [a, b]: Path, [c, d]: Path): boolean {
  if (c === d || a === c || a === d || b === c || b === d) return false
  return turns(houses, a, c, d) !== turns(houses, b, c, d) && turns(houses, a, b, c) !== turns(houses, a, b, d)
}

function turns(houses: Init['houses'], a: House, b: House, c: House): boolean {
  const [ax, ay] = houses[a]!
  const [bx, by] = houses[b]!
  const [cx, cy] = houses[c]!
  return (cy - ay) * (bx - ax) > (by - ay) * (cx - ax)
}

// --- Figures ------------------------------------------------------------------------------------------------------

export const unitsOf = ({ units }: Board, seat: Seat): number => units[seat]!.reduce((sum, count) => sum + count, 0)
export const trianglesOf = ({ triangles }: Board, seat: Seat): number =>
  triangles.filter(({ owner }) => owner === seat).length

export function curve(frames: TryFrame[], { init }: Header<Init>): number[][] {
  return SEATS.map((seat) => {
    let score = init.s[seat]!
    // A disqualified seat has -1 points; the curve shows its points before.
    return [score, ...frames.map(({ s }) => (score = Math.max(score, score + (s?.[seat] ?? 0))))]
  })
}

/** Kills and changes of paths. */
export function marks(frame: TryFrame, { players }: Header<Init>): Mark[] {
  const name = (seat: Seat): string => players[seat]!.bot
  const count = (units: number): string => (units === 1 ? '1 unit' : `${units} units`)
  return [
    ...(frame.a ?? []).flatMap(([seat, , house, killed]) =>
      killed ? [{ label: `${name(seat)} attacks house ${house}, ${count(killed)} killed`, player: seat }] : [],
    ),
    ...(frame.k ?? []).map(([seat, house, units]) => ({
      label: `${name(1 - seat)} surrounds ${count(units)} at house ${house}`,
      player: 1 - seat,
    })),
    ...(frame.p ?? []).map(([seat, , a, b]) => ({ label: `${name(seat)} adds a path ${a}–${b}`, player: seat })),
    ...(frame.r ?? []).map(([seat, , a, b]) => ({ label: `${name(seat)} removes the path ${a}–${b}`, player: seat })),
  ]
}
