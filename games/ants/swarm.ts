/*
 * The ants of the Ants picture. Each heading of an ant is drawn once, on a sheet; hundreds of ants are then copies from
 * the sheet, which costs little. Seat 0's are round, seat 1's have corners, for those who cannot see the colours.
 */
import { mix, type Header, type Theme } from '$viewer/game'
import { contests } from './chains'
import type { Canvas, Picture } from './picture'
import { SEATS, type Cell, type Init, type Seat, type State } from './state'
import { putAnt, waysOf, type Ant } from './walks'

const LENGTH = 9
/** An ant's length in CSS pixels is at least this, and in the world at most that. */
const LEAST_PIXELS = 4.4
const LONGEST = 14
/** From this length on, in CSS pixels, an ant has legs. */
const LEGS_FROM = 9.5
/** More ants than these are drawn in part. */
const MOST_ANTS = 900
const FULL_TURN = 2 * Math.PI

/** The part of the harvest after which ants hatch. */
const HATCHING = 0.6

export function drawSwarm(picture: Picture): void {
  const { canvas, view, theme, walked, reap, changed } = picture
  const { a, b, k, next, header } = view
  const length = Math.min(LONGEST, Math.max(LENGTH, LEAST_PIXELS / view.zoom))
  const sheet = sheetFor(canvas, theme, length, view.zoom)
  const beaten = beatenCells(changed < 0.5 ? a : b, header)
  const hatched = Math.max(0, (reap - HATCHING) / (1 - HATCHING))
  const ways = waysOf(a, k > 0 ? next : undefined, b, header)
  const every = Math.max(1, Math.ceil(ways.length / MOST_ANTS))
  canvas.imageSmoothingEnabled = true
  for (let i = 0; i < ways.length; i += every) {
    const way = ways[i]!
    if (way.hatches && hatched === 0) continue
    putAnt(ant, way, k > 0 ? walked : 0)
    canvas.globalAlpha = !way.leaves && beaten[way.seat]!.has(way.cell) ? BEATEN : 1
    drawAnt(canvas, sheet, way.seat, ant, way.hatches ? hatched : 1)
  }
  canvas.globalAlpha = 1
}
const ant: Ant = { x: 0, y: 0, heading: 0 }

/** How faint ants are on cells that they cannot use because the other seat is stronger. */
const BEATEN = 0.5

function beatenCells(state: State, header: Header<Init>): Set<Cell>[] {
  const found = contests(state, header)
  return SEATS.map((seat) => new Set(found.filter(({ loser }) => loser === seat).map(({ cell }) => cell)))
}

// --- The sheet: a row for each seat, a column for each heading ----------------------------------------------------

const HEADINGS = 40
/** The side of a field of the sheet, in lengths of an ant. */
const FIELD = 1.3

interface Sheet {
  image: OffscreenCanvas
  theme: Theme
  /** The side of a field in pixels of the sheet, and in world units. */
  side: number
  world: number
}
const sheets = new WeakMap<Canvas, Sheet>()

function sheetFor(canvas: Canvas, theme: Theme, length: number, zoom: number): Sheet {
  const side = Math.ceil(length * FIELD * canvas.getTransform().a)
  let sheet = sheets.get(canvas)
  if (sheet?.theme !== theme || sheet.side !== side || sheet.world !== length * FIELD) {
    sheet = { image: new OffscreenCanvas(side * HEADINGS, side * SEATS.length), theme, side, world: length * FIELD }
    paintSheet(sheet, length * zoom >= LEGS_FROM)
    sheets.set(canvas, sheet)
  }
  return sheet
}

function paintSheet({ image, theme, side }: Sheet, withLegs: boolean): void {
  const canvas = image.getContext('2d')!
  const length = side / FIELD
  for (const seat of SEATS) {
    const colour = theme.players[seat]!
    for (let i = 0; i < HEADINGS; i++) {
      const ant = { x: (i + 0.5) * side, y: (seat + 0.5) * side, heading: (i / HEADINGS) * FULL_TURN }
      if (withLegs) {
        canvas.beginPath()
        legs(canvas, ant, length)
        canvas.lineWidth = length * 0.07
        canvas.strokeStyle = mix(colour, theme.ink, 0.35)
        canvas.stroke()
      }
      canvas.beginPath()
      const body = seat === 0 ? round : angular
      body(canvas, ant, length)
      canvas.fillStyle = mix(colour, theme.ink, theme.dark ? 0.1 : 0.18)
      canvas.fill()
    }
  }
}

function drawAnt(canvas: Canvas, { image, side, world }: Sheet, seat: Seat, { x, y, heading }: Ant, size: number): void {
  const turn = Math.round((heading / FULL_TURN) * HEADINGS) % HEADINGS
  const column = turn < 0 ? turn + HEADINGS : turn
  const w = world * size
  canvas.drawImage(image, column * side, seat * side, side, side, x - w / 2, y - w / 2, w, w)
}

// --- How an ant looks ---------------------------------------------------------------------------------------------

type Pen = OffscreenCanvasRenderingContext2D

/** Three pairs. */
function legs(canvas: Pen, { x, y, heading }: Ant, length: number): void {
  const [cos, sin] = [Math.cos(heading) * length, Math.sin(heading) * length]
  for (const [root, foot] of LEGS) {
    for (const side of [-0.36, 0.36]) {
      canvas.moveTo(x + cos * root, y + sin * root)
      canvas.lineTo(x + cos * foot - sin * side, y + sin * foot + cos * side)
    }
  }
}
const LEGS: [root: number, foot: number][] = [
  [0.1, 0.3],
  [0.02, 0.02],
  [-0.04, -0.3],
]

/** Abdomen, thorax and head: where on the ant's axis, how long and how wide. */
const PARTS: [along: number, long: number, wide: number][] = [
  [-0.26, 0.27, 0.19],
  [0.05, 0.12, 0.1],
  [0.3, 0.15, 0.15],
]

function round(canvas: Pen, { x, y, heading }: Ant, length: number): void {
  const [cos, sin] = [Math.cos(heading) * length, Math.sin(heading) * length]
  for (const [at, long, wide] of PARTS) {
    const [cx, cy] = [x + cos * at, y + sin * at]
    canvas.moveTo(cx + cos * long, cy + sin * long)
    canvas.ellipse(cx, cy, length * long, length * wide, heading, 0, FULL_TURN)
  }
}

function angular(canvas: Pen, { x, y, heading }: Ant, length: number): void {
  const [cos, sin] = [Math.cos(heading) * length, Math.sin(heading) * length]
  for (const [at, long, wide] of PARTS) {
    const [cx, cy] = [x + cos * at, y + sin * at]
    const [l, w] = [long * 1.15, wide * 1.3]
    canvas.moveTo(cx + cos * l, cy + sin * l)
    canvas.lineTo(cx - sin * w, cy + cos * w)
    canvas.lineTo(cx - cos * l, cy - sin * l)
    canvas.lineTo(cx + sin * w, cy - cos * w)
    canvas.closePath()
  }
}
