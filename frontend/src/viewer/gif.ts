/* A part of a match as a GIF, for places that show no videos. Smaller and shorter: all frames are in memory at once. */
import { Encoder } from 'modern-gif'
import type { Size } from './camera'
import { painterOf, positions, type Timing } from './motion'
import type { Pictured } from './picture'

export const GIF: Size = { w: 640, h: 360 }
export const GIF_TIMING: Timing = { fps: 10, mostS: 8 }
const COLORS = 128
/** Reading and drawing the frames is about half of the work; finding their colors is the rest. */
const DRAWN = 0.5

/** Makes a GIF that plays for ever. `onprogress`: 0 to 1. Throws when `signal` is aborted. */
export async function makeGif(what: Pictured, from: number, onprogress: (share: number) => void, signal: AbortSignal): Promise<Blob> {
  const large = document.createElement('canvas')
  const small = new OffscreenCanvas(GIF.w, GIF.h)
  const context = small.getContext('2d', { willReadFrequently: true })!
  context.imageSmoothingQuality = 'high'
  const draw = painterOf(large, what, from, GIF_TIMING.fps)
  const frames = positions(from, what.timeline.last, what.game.rate, GIF_TIMING)
  const encoder = new Encoder({ width: GIF.w, height: GIF.h, looped: true, loopCount: 0, maxColors: COLORS })
  for (const [i, pos] of frames.entries()) {
    signal.throwIfAborted()
    draw(pos)
    context.drawImage(large, 0, 0, GIF.w, GIF.h)
    const { data } = context.getImageData(0, 0, GIF.w, GIF.h)
    await encoder.encode({ data, delay: 1000 / GIF_TIMING.fps })
    onprogress((DRAWN * (i + 1)) / frames.length)
    // A task of its own for each frame, so that the page stays alive.
    await new Promise((resolve) => setTimeout(resolve))
  }
  const made = await encoder.flush('blob')
  signal.throwIfAborted()
  onprogress(1)
  return made
}
