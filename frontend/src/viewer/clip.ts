/* A part of a match as a video: made frame by frame where the browser has encoders, else recorded while it plays. */
import { BufferTarget, CanvasSource, getFirstEncodableVideoCodec, Output, WebMOutputFormat } from 'mediabunny'
import { CLIP, painterOf, positions, type Timing } from './motion'
import type { Pictured } from './picture'

const FPS = 30
export const VIDEO: Timing = { fps: FPS, mostS: 15 }
const BITS_PER_S = 3_000_000
const CODECS = ['vp9', 'vp8', 'av1'] as const

/** Makes a WebM video. `onprogress`: 0 to 1. Throws an Error where this browser cannot, and when `signal` is aborted. */
export async function makeClip(what: Pictured, from: number, onprogress: (share: number) => void, signal: AbortSignal): Promise<Blob> {
  const canvas = document.createElement('canvas')
  const draw = painterOf(canvas, what, from, FPS)
  const frames = positions(from, what.timeline.last, what.game.rate, VIDEO)
  return (await encoded(canvas, draw, frames, onprogress, signal)) ?? (await recorded(canvas, draw, frames, onprogress, signal))
}

type Making = [canvas: HTMLCanvasElement, draw: (pos: number) => void, frames: number[], onprogress: (share: number) => void, signal: AbortSignal]

/** Null where the browser has no encoder for it. */
async function encoded(...[canvas, draw, frames, onprogress, signal]: Making): Promise<Blob | null> {
  const codec = await getFirstEncodableVideoCodec([...CODECS], { width: CLIP.w, height: CLIP.h, bitrate: BITS_PER_S })
  if (!codec) return null
  const output = new Output({ format: new WebMOutputFormat(), target: new BufferTarget() })
  draw(frames[0]!)
  const track = new CanvasSource(canvas, { codec, bitrate: BITS_PER_S })
  output.addVideoTrack(track, { frameRate: FPS })
  await output.start()
  for (const [i, pos] of frames.entries()) {
    if (signal.aborted) {
      await output.cancel()
      signal.throwIfAborted()
    }
    draw(pos)
    await track.add(i / FPS, 1 / FPS)
    onprogress((i + 1) / frames.length)
  }
  await output.finalize()
  return new Blob([output.target.buffer!], { type: 'video/webm' })
}

/** Plays it once on the hidden canvas, and records that. */
async function recorded(...[canvas, draw, frames, onprogress, signal]: Making): Promise<Blob> {
  if (typeof MediaRecorder === 'undefined') throw new Error('This browser cannot make videos.')
  draw(frames[0]!)
  const recorder = new MediaRecorder(canvas.captureStream(FPS), { videoBitsPerSecond: BITS_PER_S })
  const chunks: Blob[] = []
  recorder.ondataavailable = (event) => chunks.push(event.data)
  const stopped = new Promise((resolve) => (recorder.onstop = resolve))
  recorder.start()
  const began = performance.now()
  for (;;) {
    const at = Math.floor(((performance.now() - began) / 1000) * FPS)
    if (at >= frames.length || signal.aborted) break
    draw(frames[at]!)
    onprogress(at / frames.length)
    await new Promise((resolve) => setTimeout(resolve, 1000 / FPS))
  }
  recorder.stop()
  await stopped
  signal.throwIfAborted()
  return new Blob(chunks, { type: recorder.mimeType })
}
