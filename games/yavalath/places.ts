/* Where the cells of a Yavalath board are, in world units. */
import type { View } from '$viewer/game'
import { PLACES, ROW_LENGTHS, type Point, type State, type YavalathFrame } from './state'

export type Canvas = CanvasRenderingContext2D
export type YavalathView = View<unknown, YavalathFrame, State>

const MIDDLE_ROW = 4
/** A cell's radius; the world's unit is arbitrary. */
export const RADIUS = 40

export const centre = (x: number, y: number): Point => [
  (x - (ROW_LENGTHS[y]! - 1) / 2) * RADIUS * Math.sqrt(3),
  (y - MIDDLE_ROW) * RADIUS * 1.5,
]

export function placeAt(x: number, y: number): Point | null {
  const near = ([px, py]: Point): boolean => {
    const [cx, cy] = centre(px, py)
    return Math.hypot(cx - x, cy - y) < RADIUS * 0.87
  }
  return PLACES.find(near) ?? null
}

/** Makes the path of a cell's hexagon. */
export function hexagon(canvas: Canvas, [x, y]: Point, radius: number): void {
  canvas.beginPath()
  for (let corner = 0; corner < 6; corner++) {
    const angle = (corner * Math.PI) / 3
    canvas.lineTo(x + radius * Math.sin(angle), y + radius * Math.cos(angle))
  }
  canvas.closePath()
}
