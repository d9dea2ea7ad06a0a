/* What the parts of the TryAngle Catch picture share: where things are, how large they are, and the moment that is drawn. */
import type { Box, Header, Theme, View } from '$viewer/game'
import { neighboursOf, stages, type Board, type Corners, type House, type Init, type Path, type Seat, type Stage, type State, type Triangle, type TryFrame } from './state'

export type Canvas = CanvasRenderingContext2D
export type Point = [x: number, y: number]
export type TryView = View<Init, TryFrame, State>

/** How long a stage lasts beside the others of its turn. */
const LENGTH: Record<Stage['kind'], number> = { attack: 1.2, move: 1.5, spawn: 1, path: 1, kill: 0.9, capture: 1 }
/** Room around the outermost houses. */
const MARGIN = 88
const ROOM_BELOW = 96
/** A house is so wide in CSS pixels, as long as it is no larger and no smaller in the world; two houses are 140 apart. */
const HOUSE_PIXELS = 37
const SMALLEST = 46
const LARGEST = 84
/** The part of a stage after which its effect shows in the counts. */
export const HALF = 0.55
export const FULL_TURN = 2 * Math.PI

export interface Picture {
  canvas: Canvas
  view: TryView
  init: Init
  theme: Theme
  /** The board before the stage that is on, and after it; both the same at rest. */
  board: Board
  after: Board
  stage: Stage | null
  /** How far the stage is, 0 to 1. */
  done: number
  /** A house's width, and so that of a stack of units, in world units. */
  size: number
  /** How much larger than in the world lines and signs are. */
  grow: number
}

export const sizeAt = (zoom: number): number => Math.max(SMALLEST, Math.min(LARGEST, HOUSE_PIXELS / zoom))

export function pictureOf(canvas: Canvas, view: TryView): Picture {
  const { header, theme, zoom, a, k, next } = view
  const size = sizeAt(zoom)
  const still = { canvas, view, init: header.init, theme, board: a, after: a, stage: null, done: 0, size, grow: size / SMALLEST }
  if (k === 0 || !next) return still
  const all = stages(a, next)
  const sum = all.reduce((total, stage) => total + LENGTH[stage.kind], 0)
  let left = k * sum
  let board: Board = a
  for (const stage of all) {
    const length = LENGTH[stage.kind]
    if (left < length) return { ...still, board, after: stage.after, stage, done: left / length }
    left -= length
    board = stage.after
  }
  return { ...still, board, after: board }
}

// --- Places -------------------------------------------------------------------------------------------------------

export function bounds({ init }: Header<Init>): Box {
  const xs = init.houses.map(([x]) => x)
  const ys = init.houses.map(([, y]) => y)
  const [x, y] = [Math.min(...xs) - MARGIN, Math.min(...ys) - MARGIN]
  return { x, y, w: Math.max(...xs) + MARGIN - x, h: Math.max(...ys) + ROOM_BELOW - y }
}

export const middle = ({ houses }: Init, corners: Corners): Point => [
  corners.reduce((sum, corner) => sum + houses[corner]![0], 0) / 3,
  corners.reduce((sum, corner) => sum + houses[corner]![1], 0) / 3,
]

export const towards = ([x1, y1]: Point, [x2, y2]: Point, k: number): Point => [x1 + (x2 - x1) * k, y1 + (y2 - y1) * k]

/** Where a seat's units stand: beside the house, seat 0's to the left and seat 1's to the right. */
export function unitsPlace({ init, size }: Picture, house: House, seat: Seat): Point {
  const [x, y] = init.houses[house]!
  return [x + (seat === 0 ? -0.66 : 0.66) * size, y + 0.36 * size]
}

const maps = new WeakMap<Path[], House[][]>()

export function neighboursIn({ paths }: Board, { houses }: Init): House[][] {
  const known = maps.get(paths) ?? neighboursOf(paths, houses.length)
  maps.set(paths, known)
  return known
}

export function houseAt({ header, zoom }: TryView, x: number, y: number): House | null {
  let best: House | null = null
  let nearest = Math.max(34, sizeAt(zoom) * 0.75)
  header.init.houses.forEach(([hx, hy], house) => {
    const distance = Math.hypot(hx - x, hy - y)
    if (distance < nearest) [nearest, best] = [distance, house]
  })
  return best
}

export function triangleAt({ a, header }: TryView, x: number, y: number): Triangle | null {
  const side = ([x1, y1]: Point, [x2, y2]: Point): boolean => (x2 - x1) * (y - y1) > (y2 - y1) * (x - x1)
  const found = a.triangles.find(({ corners }) => {
    const [p, q, r] = corners.map((corner) => header.init.houses[corner]!) as [Point, Point, Point]
    return side(p, q) === side(q, r) && side(q, r) === side(r, p)
  })
  return found ?? null
}

// --- Lines and texts ----------------------------------------------------------------------------------------------

export function line(canvas: Canvas, from: Point, to: Point): void {
  canvas.beginPath()
  canvas.moveTo(...from)
  canvas.lineTo(...to)
  canvas.stroke()
}

/** Text with a rim, to be read on anything. */
export function label(canvas: Canvas, theme: Theme, text: string, x: number, y: number, colour: string): void {
  canvas.lineWidth = 5
  canvas.strokeStyle = theme.sink
  canvas.fillStyle = colour
  canvas.strokeText(text, x, y)
  canvas.fillText(text, x, y)
}
