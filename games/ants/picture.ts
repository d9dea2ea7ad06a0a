/* What the parts of the Ants picture share: the moment that is drawn, and how to write on it. */
import { ease, type Theme, type View } from '$viewer/game'
import type { AntsFrame, Cell, Init, State } from './state'

export type Canvas = CanvasRenderingContext2D
export type AntsView = View<Init, AntsFrame, State>

/** The part of a turn in which ants walk, and from which on the harvest is brought home. */
const WALKED = 0.62
const REAPING = 0.5
/** From here on the ground shows who holds it after the turn. */
const TURNING = 0.3

export interface Picture {
  canvas: Canvas
  view: AntsView
  init: Init
  theme: Theme
  /** How far walking is, how far the ground and the chains have changed, and how far the harvest is, each 0 to 1. */
  walked: number
  changed: number
  reap: number
  /** How much larger than in the world texts and marks are, on small stages. */
  grow: number
}

/** Texts and marks grow where they would be smaller than at this zoom. */
const LEAST_ZOOM = 0.85
const MOST_GROWTH = 2.2

export function pictureOf(canvas: Canvas, view: AntsView): Picture {
  const { k } = view
  return {
    canvas,
    view,
    init: view.header.init,
    theme: view.theme,
    walked: Math.min(1, k / WALKED),
    changed: ease(Math.max(0, Math.min(1, (k - TURNING) / (WALKED - TURNING)))),
    reap: Math.max(0, (k - REAPING) / (1 - REAPING)),
    grow: Math.max(1, Math.min(MOST_GROWTH, LEAST_ZOOM / view.zoom)),
  }
}

/** Between the value in the state before and in the one after. */
export const blend = (before: number, after: number, k: number): number => before + (after - before) * k

/** What a cell still holds in the picture: the harvest takes it piece by piece. */
export function leftShown({ view, reap }: Picture, cell: Cell): number {
  return blend(view.a.left[cell]!, view.b.left[cell]!, Math.min(1, reap * 1.4))
}

/** Text with a rim, to be read on anything. */
export function label({ canvas, theme }: Picture, text: string, x: number, y: number, colour: string): void {
  canvas.lineWidth = 3.5
  canvas.strokeStyle = theme.raise
  canvas.fillStyle = colour
  canvas.strokeText(text, x, y)
  canvas.fillText(text, x, y)
}
