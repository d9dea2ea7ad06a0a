/* What Ants bring home: heaps of crystal and eggs, the chains as ribbons, and the pieces that travel along them. */
import { alpha, mix, type Theme } from '$viewer/game'
import { linksOf, type Link } from './chains'
import { along, centre, type Point } from './places'
import { blend, label, leftShown, type Canvas, type Picture } from './picture'
import { Resource, type AntsFrame, type Seat } from './state'

/** Where the pieces of a heap lie, and how large each is. */
const HEAP: [dx: number, dy: number, size: number][] = [
  [0, 1, 1.3],
  [-8, 3, 0.95],
  [8, 4, 1],
  [-3, -6, 0.9],
  [5, -6, 0.85],
  [-12, -2, 0.7],
  [12, -2, 0.7],
]
const FULL_HEAP = 30
const FULL_TURN = 2 * Math.PI

// --- Heaps --------------------------------------------------------------------------------------------------------

/** A heap loses its pieces one after the other, each of them shrinking first. */
export function drawHeaps(picture: Picture): void {
  const { canvas, init, theme } = picture
  init.cells.forEach(([, , resource, start], cell) => {
    const left = leftShown(picture, cell)
    if (left <= 0) return
    const [x, y] = centre(init, cell)
    const pieces = Math.max(0.6, (left / Math.max(start, FULL_HEAP)) * HEAP.length)
    for (let i = Math.min(HEAP.length, Math.ceil(pieces)) - 1; i >= 0; i--) {
      const [dx, dy, size] = HEAP[i]!
      drawPiece(canvas, theme, resource, x + dx, y + dy, size * Math.min(1, 0.45 + 0.55 * (pieces - i)))
    }
  })
}

/** Over the ants, so that they can be read. */
export function drawAmounts(picture: Picture): void {
  const { canvas, init, theme, view, grow } = picture
  if (view.zoom * grow < 0.45) return
  canvas.font = `650 ${11.5 * grow}px ${theme.mono}`
  init.cells.forEach((_, cell) => {
    const left = leftShown(picture, cell)
    if (left <= 0) return
    const [x, y] = centre(init, cell)
    label(picture, String(Math.ceil(left)), x, y - 26, theme.ink)
  })
}

interface Colours {
  shell: string
  rim: string
  light: string
  dark: string
}
const colours = new WeakMap<Theme, Colours>()

/** Mixing colours takes longer than drawing a piece with them. */
function coloursOf(theme: Theme): Colours {
  let known = colours.get(theme)
  if (!known) {
    known = {
      shell: mix(theme.egg, theme.raise, 0.45),
      rim: mix(theme.egg, theme.ink, 0.3),
      light: mix(theme.gem, theme.raise, 0.55),
      dark: mix(theme.gem, theme.ink, theme.dark ? 0.35 : 0.25),
    }
    colours.set(theme, known)
  }
  return known
}

function drawPiece(canvas: Canvas, theme: Theme, resource: Resource, x: number, y: number, size: number): void {
  const { shell, rim, light, dark } = coloursOf(theme)
  if (resource === Resource.Egg) {
    canvas.beginPath()
    canvas.ellipse(x, y, 4.4 * size, 5.6 * size, 0.25, 0, FULL_TURN)
    canvas.fillStyle = shell
    canvas.fill()
    canvas.lineWidth = size
    canvas.strokeStyle = rim
    canvas.stroke()
    return
  }
  const facet = (colour: string, ...corners: Point[]): void => {
    canvas.fillStyle = colour
    canvas.beginPath()
    for (const [dx, dy] of corners) canvas.lineTo(x + dx * size, y + dy * size)
    canvas.fill()
  }
  facet(theme.gem, [-5, -2], [0, -8], [5, -2], [0, 8])
  facet(light, [-5, -2], [0, -8], [0, 1])
  facet(dark, [0, 1], [5, -2], [0, 8])
}

// --- Chains -------------------------------------------------------------------------------------------------------

/** A ribbon is as wide as its chain is strong. It stays while the chain does, and swells or fades with it. */
export function drawChains(picture: Picture): void {
  const { canvas, theme, view, changed, reap } = picture
  const before = linksOf(view.frame)
  const after = view.k > 0 ? linksOf(view.next) : before
  canvas.lineCap = 'round'
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const link = (before.get(name) ?? after.get(name))!
    const width = blend(widthOf(before.get(name)), widthOf(after.get(name)), changed)
    if (width < 0.5) continue
    const [from, to] = ends(picture, link)
    canvas.beginPath()
    canvas.moveTo(...from)
    canvas.lineTo(...to)
    canvas.lineWidth = width
    canvas.strokeStyle = mix(theme.raise, theme.players[link.seat]!, theme.dark ? 0.5 : 0.42)
    canvas.stroke()
    drawArrow(picture, from, to, width, view.calm ? 0.5 : (0.5 + reap) % 1)
  }
}

const widthOf = (link: Link | undefined): number => (link ? 4.5 + Math.min(15, 2.1 * Math.sqrt(link.strength)) : 0)

/** Both seats' ribbons fit between two cells, side by side. */
function ends({ init }: Picture, { seat, from, to }: Link): [Point, Point] {
  const aside = seat === 0 ? -5 : 5
  const [x1, y1] = centre(init, from)
  const [x2, y2] = centre(init, to)
  return [
    [x1 + aside, y1 + aside],
    [x2 + aside, y2 + aside],
  ]
}

/** Points to the base, and moves on while the harvest does. */
function drawArrow({ canvas, theme }: Picture, [x1, y1]: Point, [x2, y2]: Point, width: number, way: number): void {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length]
  const [x, y] = [x1 + (x2 - x1) * way, y1 + (y2 - y1) * way]
  const arm = Math.min(5, width * 0.32)
  canvas.beginPath()
  canvas.moveTo(x - (dx + dy) * arm, y - (dy - dx) * arm)
  canvas.lineTo(x, y)
  canvas.lineTo(x - (dx - dy) * arm, y - (dy + dx) * arm)
  canvas.lineWidth = 1.8
  canvas.strokeStyle = alpha(theme.raise, 0.85)
  canvas.stroke()
}

/** What a chain brings in this turn, on its first link. */
export function drawStrengthOfChains(picture: Picture): void {
  const { view, reap, init, canvas, theme, grow } = picture
  const late = view.k > 0 && reap > 0
  const frame: AntsFrame | undefined = late ? view.next : view.frame
  const shown = late ? Math.min(1, reap * 3) : Math.max(0, 1 - view.k * 4)
  if (shown <= 0 || view.zoom * grow < 0.6) return
  for (const [seat, , amount, route] of frame?.h ?? []) {
    if (route.length < 2) continue
    const [x, y] = along(init, route, 0.64 / (route.length - 1))
    const text = String(amount)
    const w = (8 + 6.6 * text.length) * grow
    const h = 14 * grow
    const aside = seat === 0 ? -5 : 5
    canvas.globalAlpha = shown
    canvas.beginPath()
    canvas.roundRect(x + aside - w / 2, y + aside - h / 2, w, h, seat === 0 ? h / 2 : 2.5)
    canvas.fillStyle = theme.players[seat]!
    canvas.fill()
    canvas.lineWidth = 1.5
    canvas.strokeStyle = theme.raise
    canvas.stroke()
    canvas.font = `750 ${11 * grow}px ${theme.mono}`
    canvas.fillStyle = theme.onPlayer
    canvas.fillText(text, x + aside, y + aside + 0.5)
    canvas.globalAlpha = 1
  }
}

// --- On the way home ----------------------------------------------------------------------------------------------

const MOST_PIECES = 9
/** The part of the way by which one piece follows the next. */
const FOLLOWS = 0.075

export function drawHarvest({ canvas, init, theme, view, reap }: Picture): void {
  if (reap <= 0) return
  for (const [seat, cell, amount, route] of view.next?.h ?? []) {
    const pieces = Math.min(MOST_PIECES, Math.ceil(amount / 2) + 1)
    const whole = 1 + FOLLOWS * (pieces - 1)
    for (let piece = 0; piece < pieces && route.length > 1; piece++) {
      const way = reap * whole - piece * FOLLOWS
      if (way <= 0 || way >= 1) continue
      const [x, y] = along(init, route, way)
      const aside = (seat === 0 ? -5 : 5) + (piece % 2 === 0 ? -2 : 2)
      drawPiece(canvas, theme, init.cells[cell]![2], x + aside, y + aside, 0.78)
    }
  }
}

/** A ring where ants hatch, and how many. */
export function drawBroods(picture: Picture): void {
  const { canvas, init, theme, view, reap, grow } = picture
  const way = (reap - 0.55) / 0.45
  if (way <= 0) return
  view.next?.n?.forEach((count, seat: Seat) => {
    if (count === 0) return
    for (const base of init.bases[seat]!) {
      const [x, y] = centre(init, base)
      canvas.beginPath()
      canvas.arc(x, y, 12 + 24 * way, 0, FULL_TURN)
      canvas.lineWidth = 4 * (1 - way) + 0.5
      canvas.strokeStyle = alpha(theme.egg, 1 - way)
      canvas.stroke()
      canvas.globalAlpha = 1 - way * way
      canvas.font = `750 ${15 * grow}px ${theme.mono}`
      label(picture, `+${count}`, x, y - 16 - way * 16, theme.players[seat]!)
      canvas.globalAlpha = 1
    }
  })
}
