/* What part of the world the stage shows: the whole board, or where the user zoomed and dragged to. */
import type { Box } from './game'

const MARGIN = 0.97
const CLOSEST = 6

export interface Camera {
  /** The world point in the middle of the stage. */
  x: number
  y: number
  /** CSS pixels in a world unit. */
  zoom: number
}

export interface Size {
  w: number
  h: number
}

/** The camera that shows all of the board. */
export function fit(board: Box, stage: Size): Camera {
  const zoom = Math.min(stage.w / board.w, stage.h / board.h) * MARGIN
  return { x: board.x + board.w / 2, y: board.y + board.h / 2, zoom }
}

/** The world point at a point of the stage. */
export function toWorld(camera: Camera, stage: Size, sx: number, sy: number): [number, number] {
  return [camera.x + (sx - stage.w / 2) / camera.zoom, camera.y + (sy - stage.h / 2) / camera.zoom]
}

/** The point of the stage at a world point. */
export function toStage(camera: Camera, stage: Size, x: number, y: number): [number, number] {
  return [(x - camera.x) * camera.zoom + stage.w / 2, (y - camera.y) * camera.zoom + stage.h / 2]
}

/** Nearer or further, with the world point at (sx, sy) kept in its place. Null: all of the board is to be seen. */
export function zoomed(camera: Camera, board: Box, stage: Size, factor: number, sx: number, sy: number): Camera | null {
  const whole = fit(board, stage).zoom
  const zoom = Math.min(whole * CLOSEST, camera.zoom * factor)
  if (factor < 1 && zoom <= whole) return null
  const [x, y] = toWorld(camera, stage, sx, sy)
  return { zoom, x: x - (sx - stage.w / 2) / zoom, y: y - (sy - stage.h / 2) / zoom }
}

/** Dragged by a way on the stage. */
export function dragged(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x - dx / camera.zoom, y: camera.y - dy / camera.zoom }
}

/** The part of the world that can be seen. */
export function visible(camera: Camera, stage: Size): Box {
  const w = stage.w / camera.zoom
  const h = stage.h / camera.zoom
  return { x: camera.x - w / 2, y: camera.y - h / 2, w, h }
}
