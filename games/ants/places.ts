/* Where the cells of an Ants map are, in world units. */
import type { Box, Header } from '$viewer/game'
import { cellsByPlace, WAYS, type Cell, type Init } from './state'

export type Point = [x: number, y: number]

/** A cell's radius; the world's unit is arbitrary. */
export const RADIUS = 40

const centres = new WeakMap<Init, Point[]>()

export function centre(init: Init, cell: Cell): Point {
  let known = centres.get(init)
  if (!known) {
    known = init.cells.map(([q, r]) => [RADIUS * Math.sqrt(3) * (q + r / 2), RADIUS * 1.5 * r])
    centres.set(init, known)
  }
  return known[cell]!
}

export function bounds({ init }: Header<Init>): Box {
  const points = init.cells.map((_, cell) => centre(init, cell))
  const xs = points.map(([x]) => x)
  const ys = points.map(([, y]) => y)
  const x = Math.min(...xs) - RADIUS * 1.1
  const y = Math.min(...ys) - RADIUS * 1.3
  return { x, y, w: Math.max(...xs) + RADIUS * 1.1 - x, h: Math.max(...ys) + RADIUS * 1.3 - y }
}

/** The cell at a point, or null. */
export function cellAt(init: Init, x: number, y: number): Cell | null {
  let best: Cell | null = null
  let nearest = RADIUS * RADIUS * 0.8
  init.cells.forEach((_, cell) => {
    const [cx, cy] = centre(init, cell)
    const distance = (cx - x) ** 2 + (cy - y) ** 2
    if (distance < nearest) [nearest, best] = [distance, cell]
  })
  return best
}

const neighbourhoods = new WeakMap<Init, Cell[][]>()

/** Cell -> the cells beside it. */
export function neighbours(init: Init): Cell[][] {
  let known = neighbourhoods.get(init)
  if (!known) {
    const cells = cellsByPlace(init)
    known = init.cells.map(([q, r]) => WAYS.flatMap(([dq, dr]) => cells.get(`${q + dq},${r + dr}`) ?? []))
    neighbourhoods.set(init, known)
  }
  return known
}

/** Makes the path of a cell's hexagon. */
export function hexagon(canvas: CanvasRenderingContext2D, [x, y]: Point, radius: number): void {
  canvas.beginPath()
  for (let corner = 0; corner < 6; corner++) {
    const angle = (corner * Math.PI) / 3
    canvas.lineTo(x + radius * Math.sin(angle), y + radius * Math.cos(angle))
  }
  canvas.closePath()
}

/** A point on the way along the centres of a route, k from 0 to 1. */
export function along(init: Init, route: Cell[], k: number): Point {
  const position = k * (route.length - 1)
  const leg = Math.max(0, Math.min(route.length - 2, Math.floor(position)))
  const [x1, y1] = centre(init, route[leg]!)
  const [x2, y2] = centre(init, route[leg + 1] ?? route[leg]!)
  return [x1 + (x2 - x1) * (position - leg), y1 + (y2 - y1) * (position - leg)]
}
