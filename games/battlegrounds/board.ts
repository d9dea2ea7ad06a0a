/* The board of Life as a picture: one pixel a cell, painted again only when something has changed. */
import { alpha, mix, type Box } from '$viewer/game'
import { OLDEST, paintCells } from './life'
import { grown, tiles, windowStart, type BattleView } from './moment'
import { agesAt } from './state'
import { territoryPicture } from './territory'

type Canvas = CanvasRenderingContext2D

/** From this zoom on, in CSS pixels a cell, there are lines between cells. */
const ZOOM_LINES = 9

/** The board, one pixel a cell, as it was painted last on a canvas. */
interface Painted {
  board: OffscreenCanvas
  image: ImageData
  pixels: Uint32Array
  of: unknown[]
}
const painted = new WeakMap<Canvas, Painted>()

export function boardPicture(canvas: Canvas, view: BattleView): OffscreenCanvas {
  const { size } = view.header.init
  let known = painted.get(canvas)
  if (known?.board.width !== size) {
    const image = new ImageData(size, size)
    known = { board: new OffscreenCanvas(size, size), image, pixels: new Uint32Array(image.data.buffer), of: [] }
    painted.set(canvas, known)
  }
  const done = grown(view.k)
  const state = done > 0 ? view.b : view.a
  const fade = done > 0 ? Math.ceil(done * 6) / 6 : 1
  const of = [state, fade, view.theme, view.layers.trails, view.layers.territory]
  if (of.some((value, i) => value !== known.of[i])) {
    known.of = of
    paintCells(known.pixels, state.cells, agesAt(state), size, colours(view, fade))
    const context = known.board.getContext('2d')!
    context.putImageData(known.image, 0, 0)
    // The tint goes into the picture when that changes, not into each frame.
    if (view.layers.territory) context.drawImage(territoryPicture(state, view.header, view.theme), 0, 0)
  }
  return known.board
}

/** A colour for each age of dead and living cells. `fade`: how far the newest change is. */
function colours({ theme, layers }: BattleView, fade: number): Uint32Array {
  const ground = theme.dark ? theme.sink : theme.raise
  const settled = mix(theme.ink, ground, theme.dark ? 0.5 : 0.42)
  const ash = layers.trails ? mix(ground, theme.dark ? '#4d7f95' : '#7fa3b5', theme.dark ? 0.62 : 0.55) : ground
  const found = new Uint32Array(2 * (OLDEST + 1))
  for (let age = 0; age <= OLDEST; age++) {
    const past = Math.min(1, (age - 1 + fade) / (OLDEST - 1))
    found[age] = packed(mix(ash, ground, age === OLDEST ? 1 : Math.max(0, past) ** 0.6))
    found[OLDEST + 1 + age] = packed(mix(theme.ink, settled, Math.max(0, past)))
  }
  found[0] = packed(mix(theme.ink, layers.trails ? ash : ground, fade))
  found[OLDEST + 1] = packed(mix(ground, theme.ink, fade))
  return found
}

/** A colour as a pixel of an ImageData. */
function packed(colour: string): number {
  const [r, g, b] = colour.match(/\d+/g)!.map(Number) as [number, number, number]
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0
}

export function drawBoard(canvas: Canvas, view: BattleView): void {
  const { size } = view.header.init
  const { box, theme, zoom } = view
  const board = boardPicture(canvas, view)
  canvas.imageSmoothingEnabled = canvas.getTransform().a < 1
  const all = (): void => {
    for (const x of tiles(box.x, box.w, size)) {
      for (const y of tiles(box.y, box.h, size)) canvas.drawImage(board, x, y, size, size)
    }
  }
  if (box.w <= size && box.h <= size) {
    all()
  } else {
    const [x, y] = windowStart(view)
    const frame = (by: number, opacity: number): void => {
      canvas.save()
      canvas.beginPath()
      canvas.rect(x - by, y - by, size + 2 * by, size + 2 * by)
      canvas.clip()
      canvas.globalAlpha = opacity
      all()
      canvas.restore()
    }
    frame(copiesWidth(view), 0.3)
    frame(0, 1)
    canvas.lineWidth = 1 / zoom
    canvas.strokeStyle = alpha(theme.soft, 0.7)
    canvas.strokeRect(x, y, size, size)
  }
  drawLines(canvas, view)
}

/** What of the view is board, or a copy of it. */
function shownPart(view: BattleView): Box {
  const { box, header } = view
  const { size } = header.init
  if (box.w <= size && box.h <= size) return box
  const by = copiesWidth(view)
  const [x, y] = windowStart(view)
  const [left, top] = [Math.max(box.x, x - by), Math.max(box.y, y - by)]
  return { x: left, y: top, w: Math.min(box.w, size + 2 * by), h: Math.min(box.h, size + 2 * by) }
}

/** Lines between cells, and where the coordinates begin anew. */
function drawLines(canvas: Canvas, view: BattleView): void {
  const { zoom, theme, header } = view
  const { size } = header.init
  const box = shownPart(view)
  const cross = (xs: number[], ys: number[]): void => {
    canvas.beginPath()
    for (const x of xs) {
      canvas.moveTo(x, box.y)
      canvas.lineTo(x, box.y + box.h)
    }
    for (const y of ys) {
      canvas.moveTo(box.x, y)
      canvas.lineTo(box.x + box.w, y)
    }
    canvas.lineWidth = 1 / zoom
    canvas.stroke()
  }
  if (zoom >= ZOOM_LINES) {
    const steps = (from: number, length: number): number[] =>
      Array.from({ length: Math.floor(from + length) - Math.ceil(from) + 1 }, (_, i) => Math.ceil(from) + i)
    canvas.strokeStyle = alpha(theme.line, Math.min(0.75, (zoom - ZOOM_LINES + 1) / 10))
    cross(steps(box.x, box.w), steps(box.y, box.h))
  }
  if (view.box.w <= size && view.box.h <= size) {
    canvas.strokeStyle = alpha(theme.soft, 0.6)
    canvas.setLineDash([6 / zoom, 6 / zoom])
    cross(tiles(box.x, box.w, size), tiles(box.y, box.h, size))
    canvas.setLineDash([])
  }
}

/** The most of the stage that copies of the board may fill, where all of it and more can be seen. */
const COPIES = 1 / 6

/** How wide the copies around the board are, in cells: on two sides, or all around. */
export function copiesWidth({ box, header }: Pick<BattleView, 'box' | 'header'>): number {
  const { size } = header.init
  if (box.w > size && box.h > size) return (COPIES * Math.min(box.w, box.h)) / 4.4
  return (COPIES * (box.w > size ? box.w : box.h)) / 2
}
