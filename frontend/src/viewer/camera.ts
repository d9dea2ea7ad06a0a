/* The visible part of the world: the whole board, or where the user zoomed and dragged to. */
import type { Box } from './game'

const MARGIN = 0.97
/** The maximum zoom, relative to the zoom that shows the whole board. */
const CLOSEST = 6

export interface Camera {
  /** The world point in the middle of the stage. */
  x: number
  y: number
  /** CSS pixels per world unit. */
  zoom: number
}

export interface Size {
  w: number
  h: number
}

/** The camera that shows all of the board. `top`, `foot`: CSS pixels at the stage's edges that stay free of it. */
export function fit(board: Box, stage: Size, top = 0, foot = 0): Camera {
  const zoom = Math.min(stage.w / board.w, (stage.h - top - foot) / board.h) * MARGIN
  const free = (stage.h - board.h * zoom) / 2
  const down = Math.max(0, top - free) - Math.max(0, foot - free)
  return { x: board.x + board.w / 2, y: board.y + board.h / 2 - down / zoom, zoom }
}

/** The world point at a point of the stage. */
export function toWorld(camera: Camera, stage: Size, sx: number, sy: number): [number, number] {
  return [camera.x + (sx - stage.w / 2) / camera.zoom, camera.y + (sy - stage.h / 2) / camera.zoom]
}

/** The point of the stage at a world point. */
export function toStage(camera: Camera, stage: Size, x: number, y: number): [number, number] {
  return [(x - camera.x) * camera.zoom + stage.w / 2, (y - camera.y) * camera.zoom + stage.h / 2]
}

/** The maximum zoom on a board: CLOSEST, or more if the game asks for a view of so many world units. */
export function closestZoom(board: Box, stage: Size, units?: number): number {
  const usual = fit(board, stage).zoom * CLOSEST
  return units === undefined ? usual : Math.max(usual, Math.min(stage.w, stage.h) / units)
}

/**
 * Zooms in or out, with the world point at (sx, sy) fixed. `closest`: world units along the stage's
 * shorter side, see GameViewer. Null: the whole board is visible.
 */
export function zoomed(
  camera: Camera,
  board: Box,
  stage: Size,
  factor: number,
  sx: number,
  sy: number,
  closest?: number,
): Camera | null {
  const whole = fit(board, stage).zoom
  const zoom = Math.min(closestZoom(board, stage, closest), camera.zoom * factor)
  if (factor < 1 && zoom <= whole) return null
  const [x, y] = toWorld(camera, stage, sx, sy)
  return { zoom, x: x - (sx - stage.w / 2) / zoom, y: y - (sy - stage.h / 2) / zoom }
}

/** The camera that shows a part of the board, no closer than the game allows. */
export function closeUp(part: Box, board: Box, stage: Size, closest?: number): Camera {
  const camera = fit(part, stage)
  return { ...camera, zoom: Math.min(camera.zoom, closestZoom(board, stage, closest)) }
}

/** Whether two views differ so little that following one is as good as following the other. */
export function isNearly(one: Camera, other: Camera, stage: Size, part: number): boolean {
  const way = Math.hypot(one.x - other.x, one.y - other.y) * other.zoom
  return way < part * Math.min(stage.w, stage.h) && Math.abs(Math.log(one.zoom / other.zoom)) < 2 * part
}

/** Interpolates between two cameras: the zoom geometrically, and a point that both keep in place stays there. */
export function between(from: Camera, to: Camera, k: number): Camera {
  const zoom = from.zoom * (to.zoom / from.zoom) ** k
  // Places on the stage move in proportion to the zoom's reciprocal.
  const part = to.zoom === from.zoom ? k : (1 / from.zoom - 1 / zoom) / (1 / from.zoom - 1 / to.zoom)
  return { zoom, x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
}

/** Moved by a drag on the stage. */
export function dragged(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x - dx / camera.zoom, y: camera.y - dy / camera.zoom }
}

/** The part of the world that can be seen. */
export function visible(camera: Camera, stage: Size): Box {
  const w = stage.w / camera.zoom
  const h = stage.h / camera.zoom
  return { x: camera.x - w / 2, y: camera.y - h / 2, w, h }
}

/** Between a point and its tooltip, in CSS pixels. */
export const TIP_GAP = 26
const TIP_MARGIN = 4

/** On which side of a point of the stage its tooltip has more room, and how wide it can be there. `flip`: on the left. */
export function tipRoom(left: number, width: number): { flip: boolean; room: number } {
  const flip = left > width / 2
  return { flip, room: Math.max(0, (flip ? left : width - left) - TIP_GAP - TIP_MARGIN) }
}
