/* Where the cells of a Tron board are, in world units. */
import type { View } from '$viewer/game'
import type { Init, Point, State, TronFrame } from './state'

export type Canvas = CanvasRenderingContext2D
export type TronView = View<Init, TronFrame, State>

/** A cell's side; the world's unit is arbitrary. */
export const CELL = 20

export const centre = ([x, y]: Point): Point => [(x + 0.5) * CELL, (y + 0.5) * CELL]

export function placeAt(x: number, y: number, { w, h }: Init): Point | null {
  const place: Point = [Math.floor(x / CELL), Math.floor(y / CELL)]
  return place[0] >= 0 && place[1] >= 0 && place[0] < w && place[1] < h ? place : null
}
