/*
 * Parts of the picture over the board that change once a turn, not once a frame: they are painted on a canvas of their
 * own, and copied from it while their key stays the same.
 */
import type { Box } from '$viewer/game'
import type { Canvas } from './moment'

interface Part {
  image: OffscreenCanvas
  key: unknown[]
}
const parts = new WeakMap<Canvas, Map<string, Part>>()

/** Copies a part to its place, in CSS pixels; paints it before that if anything in the key is new. */
export function drawCached(canvas: Canvas, name: string, box: Box, key: unknown[], paint: (canvas: Canvas) => void): void {
  const pixels = canvas.getTransform().a
  const [width, height] = [Math.ceil(box.w * pixels), Math.ceil(box.h * pixels)]
  if (width < 1 || height < 1) return
  const whole = [...key, box.x, box.y, width, height]
  const known = partsOf(canvas).get(name)
  const fresh = known && known.key.length === whole.length && whole.every((value, i) => value === known.key[i])
  const part = fresh ? known : painted(known, whole, width, height, pixels, box, paint)
  partsOf(canvas).set(name, part)
  canvas.drawImage(part.image, box.x, box.y, width / pixels, height / pixels)
}

function partsOf(canvas: Canvas): Map<string, Part> {
  let known = parts.get(canvas)
  if (!known) parts.set(canvas, (known = new Map()))
  return known
}

function painted(
  known: Part | undefined,
  key: unknown[],
  width: number,
  height: number,
  pixels: number,
  box: Box,
  paint: (canvas: Canvas) => void,
): Part {
  const image = known?.image ?? new OffscreenCanvas(width, height)
  // Setting a size clears the canvas, too.
  image.width = width
  image.height = height
  const context = image.getContext('2d')! as unknown as Canvas
  context.setTransform(pixels, 0, 0, pixels, -box.x * pixels, -box.y * pixels)
  context.textBaseline = 'middle'
  paint(context)
  return { image, key }
}
