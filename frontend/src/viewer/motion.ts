/* A part of a match frame by frame, for videos and GIFs. */
import type { Camera, Size } from './camera'
import { cameraOf, chase, drawPicture, stageOf, type Pictured } from './picture'

/** Of each frame, as it is drawn. */
export const CLIP: Size = { w: 1280, h: 720 }
/** The last turn stays for so long. */
const HOLD_S = 1.5

/** How many frames a second, and for how many seconds at most. */
export interface Timing {
  fps: number
  mostS: number
}

/** The positions of a clip's frames: from a turn on at the game's own speed, up to the end or for as long as it may be. */
export function positions(from: number, last: number, rate: number, { fps, mostS }: Timing): number[] {
  const played = Math.min(mostS - HOLD_S, (last - from) / rate)
  const frames = Math.round((played + HOLD_S) * fps)
  return Array.from({ length: frames }, (_, i) => Math.min(from + (i / fps) * rate, from + played * rate, last))
}

/** Draws a position; the camera follows the game's focus smoothly. */
export function painterOf(canvas: HTMLCanvasElement, what: Pictured, from: number, fps: number): (pos: number) => void {
  const stage = stageOf(CLIP)
  let camera: Camera = cameraOf(what, from, stage, null)
  return (pos) => {
    const goal = cameraOf(what, Math.floor(pos), stage, camera)
    camera = what.game.focus ? chase(camera, goal, 1 / fps) : goal
    drawPicture(canvas, what, pos, CLIP, camera)
  }
}
