/*
 * How Ants looks. A turn is drawn in two parts: first the ants walk, then the harvest travels down the chains.
 * docs/replay-format.md describes the frames, frontend/src/viewer/game.ts the interface.
 */
import {
  alpha,
  ease,
  mix,
  playerShape,
  type Box,
  type Frame,
  type GameViewer,
  type Header,
  type Mark,
  type Theme,
  type Tip,
  type View,
} from '$viewer/game'

type Cell = number
type Seat = number
type Point = [x: number, y: number]
type Canvas = CanvasRenderingContext2D

/** `cells`: axial place, what lies there and how much; `bases`, `ants`: for each seat; `ants` for each cell. */
interface Init {
  cells: [q: number, r: number, resource: Resource, amount: number][]
  bases: Cell[][]
  ants: number[][]
}
enum Resource {
  None,
  Egg,
  Crystal,
}

type Move = [seat: Seat, from: Cell, to: Cell, ants: number]
type Beacon = [cell: Cell, strength: number]

interface AntsFrame extends Frame {
  /** Moves, a text for each seat; in old replays a list. `movesOf` reads both. */
  m: string[] | Move[]
  /** Harvests, each with its way from the resource to a base. */
  h: [seat: Seat, cell: Cell, amount: number, route: Cell[]][]
  /** Beacons of each seat, as a text; in old replays as a list. `beaconsOf` reads both. */
  b: (string | Beacon[])[]
  /** New ants on each base of a seat. */
  n?: number[]
  /** Points of each seat. */
  s: number[]
  msg?: string[]
}

/** `left`: what each cell still holds; `ants`: for each seat and cell; `points`: for each seat. */
export interface State {
  left: number[]
  ants: number[][]
  points: number[]
}

type AntsView = View<Init, AntsFrame, State>

const SEATS: Seat[] = [0, 1]
/** A cell's radius; the world's unit is arbitrary. */
const RADIUS = 40
/** The part of a turn in which ants walk, and from which the harvest is shown. */
const WALKED = 0.62
const REAPING = 0.55
/** From this many new ants on, hatching is worth a mark on the seek bar. */
const BIG_BROOD = 8
const MOST_DOTS = 7
const MOST_PIECES = 5
/** Where the pieces of a heap lie, and how large each is. */
const HEAP: [dx: number, dy: number, size: number][] = [
  [0, 0, 1.25],
  [-9, 3, 0.95],
  [9, 4, 1],
  [-3, -8, 0.85],
  [6, -7, 0.8],
  [-14, -4, 0.7],
  [14, -3, 0.7],
]
const FULL_HEAP = 30
const FULL_TURN = 2 * Math.PI

const viewer: GameViewer<Init, AntsFrame, State> = {
  rate: 1.6,
  layers: {
    beacons: { label: 'Beacons', on: true },
    strengths: { label: 'Beacon strengths', on: false },
    chains: { label: 'Harvest chains', on: true },
    messages: { label: 'Messages', on: true },
    numbers: { label: 'Cell numbers', on: false },
  },

  start: ({ init }) => ({
    left: init.cells.map(([, , , amount]) => amount),
    ants: init.ants.map((cells) => [...cells]),
    points: SEATS.map(() => 0),
  }),
  step,
  bounds,
  draw,
  hud: drawMessages,
  hit,

  curve: (frames) => SEATS.map((seat) => [0, ...frames.map((frame) => frame.s[seat]!)]),
  marks,
  score: (state) => state.points.map(String),
  note: (state) => state.ants.map((cells) => `${total(cells)} ants`),
  describe: (state, { players }) =>
    players
      .map(({ bot }, seat) => `${bot} has ${state.points[seat]} points and ${total(state.ants[seat]!)} ants`)
      .join('; ') + '.',
}
export default viewer

// --- State --------------------------------------------------------------------------------------------------------

function step(before: State, frame: AntsFrame, { init }: Header<Init>): State {
  const left = [...before.left]
  const ants = before.ants.map((cells) => [...cells])
  for (const [seat, from, to, count] of movesOf(frame, init)) {
    ants[seat]![from]! -= count
    ants[seat]![to]! += count
  }
  for (const [, cell, amount] of frame.h) left[cell] = Math.max(0, left[cell]! - amount)
  frame.n?.forEach((count, seat) => {
    for (const base of init.bases[seat]!) ants[seat]![base]! += count
  })
  return { left, ants, points: frame.s }
}

function marks(frame: AntsFrame, { players }: Header<Init>): Mark[] {
  const broods = (frame.n ?? []).flatMap((count, seat) =>
    count >= BIG_BROOD ? [{ label: `${players[seat]!.bot} hatches ${count} ants`, player: seat }] : [],
  )
  const messages = (frame.msg ?? []).flatMap((text, seat) =>
    text ? [{ label: `${players[seat]!.bot}: ${text}`, player: seat }] : [],
  )
  return [...broods, ...messages]
}

const total = (values: number[]): number => values.reduce((sum, value) => sum + value, 0)

// --- Texts of a frame ---------------------------------------------------------------------------------------------

/** Axial steps of the six directions, a to f. */
const WAYS: [dq: number, dr: number][] = [
  [1, 0],
  [1, -1],
  [0, -1],
  [-1, 0],
  [-1, 1],
  [0, 1],
]
const FIRST_WAY = 'a'.charCodeAt(0)
const readMoves = new WeakMap<AntsFrame, Move[]>()
const readBeacons = new WeakMap<AntsFrame, Beacon[][]>()

function movesOf(frame: AntsFrame | null | undefined, init: Init): Move[] {
  if (!frame) return []
  const known = readMoves.get(frame)
  if (known) return known
  const moves = frame.m.flatMap((part, seat) => (typeof part === 'string' ? movesIn(part, seat, init) : [part]))
  readMoves.set(frame, moves)
  return moves
}

function movesIn(text: string, seat: Seat, init: Init): Move[] {
  const cells = new Map(init.cells.map(([q, r], cell) => [`${q},${r}`, cell]))
  return withCells(text).flatMap(([from, rest]) => {
    const [q, r] = init.cells[from]!
    return [...rest.matchAll(/([a-f])(\d*)/g)].map(([, way, ants]): Move => {
      const [dq, dr] = WAYS[way!.charCodeAt(0) - FIRST_WAY]!
      return [seat, from, cells.get(`${q + dq},${r + dr}`)!, Number(ants || 1)]
    })
  })
}

function beaconsOf(frame: AntsFrame | null | undefined): Beacon[][] {
  if (!frame) return []
  const known = readBeacons.get(frame)
  if (known) return known
  const beacons = frame.b.map((part) => (typeof part === 'string' ? beaconsIn(part) : part))
  readBeacons.set(frame, beacons)
  return beacons
}

function beaconsIn(text: string): Beacon[] {
  let strength = 1
  return withCells(text).map(([cell, rest]) => {
    if (rest) strength = Number(rest.slice(1))
    return [cell, strength]
  })
}

/** The words of a text, each with its cell: it begins with how many were skipped since the one before. */
function withCells(text: string): [cell: Cell, rest: string][] {
  let cell = -1
  return text
    .split(',')
    .slice(0, -1)
    .map((word) => {
      const gap = /^\d*/.exec(word)![0]
      cell += Number(gap) + 1
      return [cell, word.slice(gap.length)]
    })
}

// --- Places -------------------------------------------------------------------------------------------------------

function centre(init: Init, cell: Cell): Point {
  const [q, r] = init.cells[cell]!
  return [RADIUS * Math.sqrt(3) * (q + r / 2), RADIUS * 1.5 * r]
}

function bounds({ init }: Header<Init>): Box {
  const points = init.cells.map((_, cell) => centre(init, cell))
  const xs = points.map(([x]) => x)
  const ys = points.map(([, y]) => y)
  const x = Math.min(...xs) - RADIUS * 1.3
  const y = Math.min(...ys) - RADIUS * 1.4
  return { x, y, w: Math.max(...xs) + RADIUS * 1.3 - x, h: Math.max(...ys) + RADIUS * 1.4 - y }
}

/** The cell at a point, or null. */
function cellAt(init: Init, x: number, y: number): Cell | null {
  let best: Cell | null = null
  let nearest = RADIUS * RADIUS * 0.8
  init.cells.forEach((_, cell) => {
    const [cx, cy] = centre(init, cell)
    const distance = (cx - x) ** 2 + (cy - y) ** 2
    if (distance < nearest) [nearest, best] = [distance, cell]
  })
  return best
}

/** Where a seat's ants stand in a cell: below a heap, and aside when both seats are there. */
function antsPlace(init: Init, state: State, cell: Cell, seat: Seat): Point {
  const [x, y] = centre(init, cell)
  const shared = state.ants[0]![cell]! > 0 && state.ants[1]![cell]! > 0
  return [x + (shared ? (seat === 0 ? -16 : 16) : 0), y + (state.left[cell]! > 0 ? 17 : 0)]
}

function hit(x: number, y: number, { a, frame, header }: AntsView): Tip | null {
  const { init, players } = header
  const cell = cellAt(init, x, y)
  if (cell === null) return null
  const [, , resource, start] = init.cells[cell]!
  const owner = SEATS.find((seat) => init.bases[seat]!.includes(cell))
  const rows: Tip['rows'] = []
  if (resource !== Resource.None) {
    rows.push({ label: resource === Resource.Egg ? 'Eggs' : 'Crystal', value: `${a.left[cell]} of ${start}` })
  }
  for (const seat of SEATS) {
    const ants = a.ants[seat]![cell]!
    const beacon = beaconsOf(frame)[seat]?.find(([place]) => place === cell)
    if (!ants && !beacon) continue
    const value = beacon ? `${ants} ants, beacon ${beacon[1]}` : `${ants} ants`
    rows.push({ label: players[seat]!.bot, value, player: seat })
  }
  const title = owner === undefined ? `Cell ${cell}` : `Cell ${cell}, base of ${players[owner]!.bot}`
  return { title, rows, at: centre(init, cell) }
}

// --- Picture ------------------------------------------------------------------------------------------------------

/** What the parts of the picture share. `late`: the walk is over, so the next state's ants are shown. */
interface Picture {
  canvas: Canvas
  view: AntsView
  init: Init
  theme: Theme
  late: boolean
  /** How far the harvest is, 0 to 1. */
  reap: number
}

function draw(canvas: Canvas, view: AntsView): void {
  const picture: Picture = {
    canvas,
    view,
    init: view.header.init,
    theme: view.theme,
    late: view.k > WALKED,
    reap: Math.max(0, (view.k - REAPING) / (1 - REAPING)),
  }
  canvas.textAlign = 'center'
  canvas.textBaseline = 'middle'
  canvas.lineJoin = 'round'
  canvas.lineCap = 'round'

  drawCells(picture)
  if (view.layers.beacons) drawBeacons(picture)
  if (view.layers.chains) drawChains(picture)
  drawResources(picture)
  drawResting(picture)
  if (view.k > 0 && !picture.late) drawWalking(picture)
  if (picture.reap > 0) drawHarvest(picture)
  if (view.layers.strengths) drawStrengths(picture)
  drawHover(picture)
}

function hexagon(canvas: Canvas, [x, y]: Point, radius: number): void {
  canvas.beginPath()
  for (let corner = 0; corner < 6; corner++) {
    const angle = (corner * Math.PI) / 3
    canvas.lineTo(x + radius * Math.sin(angle), y + radius * Math.cos(angle))
  }
  canvas.closePath()
}

const amountShown = ({ view, reap }: Picture, cell: Cell): number => (reap > 0.5 ? view.b : view.a).left[cell]!

function drawCells(picture: Picture): void {
  const { canvas, init, theme, view } = picture
  init.cells.forEach(([, , resource, start], cell) => {
    const at = centre(init, cell)
    const left = amountShown(picture, cell)
    hexagon(canvas, at, RADIUS - 1.6)
    const tint = resource === Resource.Crystal ? theme.gem : theme.egg
    canvas.fillStyle = left ? mix(theme.raise, tint, theme.dark ? 0.16 : 0.14) : theme.raise
    canvas.fill()
    canvas.lineWidth = 1.2
    canvas.strokeStyle = theme.line
    canvas.stroke()
    for (const seat of SEATS) if (init.bases[seat]!.includes(cell)) drawBase(picture, at, seat)
    if (start && !left) {
      canvas.fillStyle = alpha(theme.soft, 0.35)
      canvas.beginPath()
      canvas.arc(...at, 3, 0, FULL_TURN)
      canvas.fill()
    }
    if (view.layers.numbers) {
      canvas.fillStyle = theme.soft
      canvas.font = `500 9px ${theme.mono}`
      canvas.fillText(String(cell), at[0], at[1] + RADIUS * 0.74)
    }
  })
}

function drawBase({ canvas, theme }: Picture, at: Point, seat: Seat): void {
  hexagon(canvas, at, RADIUS - 5)
  canvas.lineWidth = 4.5
  canvas.strokeStyle = theme.players[seat]!
  canvas.stroke()
  hexagon(canvas, at, RADIUS - 9)
  canvas.fillStyle = alpha(theme.players[seat]!, 0.12)
  canvas.fill()
}

/** The beacons that the ants walk by; at rest, those of the turn that is over. */
const beaconsShown = ({ view }: Picture): Beacon[][] => beaconsOf(view.k > 0 ? view.next : view.frame)

/** A beacon is a dashed ring, as thick as its share of the seat's strength. */
function drawBeacons(picture: Picture): void {
  const { canvas, init, theme } = picture
  beaconsShown(picture).forEach((beacons, seat) => {
    const strongest = Math.max(1, ...beacons.map(([, strength]) => strength))
    canvas.setLineDash([2, 7])
    canvas.strokeStyle = alpha(theme.players[seat]!, 0.75)
    for (const [cell, strength] of beacons) {
      hexagon(canvas, centre(init, cell), RADIUS - 5 - seat * 4)
      canvas.lineWidth = 1.2 + 1.2 * Math.sqrt(strength / strongest)
      canvas.stroke()
    }
    canvas.setLineDash([])
  })
}

function drawStrengths(picture: Picture): void {
  const { canvas, init, theme } = picture
  canvas.font = `650 10px ${theme.mono}`
  beaconsShown(picture).forEach((beacons, seat) => {
    for (const [cell, strength] of beacons) {
      const [x, y] = centre(init, cell)
      label(picture, String(strength), x + (seat === 0 ? -20 : 20), y + 25, theme.players[seat]!)
    }
  })
}

/** The routes of a harvest, seats side by side; they fade in while it is brought home, and out on the next walk. */
function drawChains({ canvas, init, theme, view, reap }: Picture): void {
  const harvests = (view.k > 0.5 ? view.next : view.frame)?.h ?? []
  const glow = view.k > 0.5 ? reap : Math.max(0, 1 - view.k / 0.35)
  const drawn = new Set<string>()
  for (const [seat, , amount, route] of harvests) {
    canvas.strokeStyle = alpha(theme.players[seat]!, 0.5 * glow)
    canvas.lineWidth = 3 + Math.min(5, amount / 3)
    for (let i = 0; i + 1 < route.length; i++) {
      const name = `${seat}:${route[i]}:${route[i + 1]}`
      if (drawn.has(name)) continue
      drawn.add(name)
      const [x1, y1] = centre(init, route[i]!)
      const [x2, y2] = centre(init, route[i + 1]!)
      const length = Math.hypot(x2 - x1, y2 - y1) || 1
      const aside = (seat === 0 ? -3.5 : 3.5) / length
      const dx = -(y2 - y1) * aside
      const dy = (x2 - x1) * aside
      canvas.beginPath()
      canvas.moveTo(x1 + dx, y1 + dy)
      canvas.lineTo(x2 + dx, y2 + dy)
      canvas.stroke()
    }
  }
}

function drawResources(picture: Picture): void {
  const { canvas, init, theme } = picture
  init.cells.forEach(([, , resource, start], cell) => {
    const left = amountShown(picture, cell)
    if (!left) return
    const [x, y] = centre(init, cell)
    const pieces = Math.max(1, Math.ceil((left / Math.max(start, FULL_HEAP)) * HEAP.length))
    for (const [dx, dy, size] of HEAP.slice(0, pieces).reverse()) {
      drawPiece(picture, resource, x + dx, y - 12 + dy, size)
    }
    canvas.font = `650 12px ${theme.mono}`
    label(picture, String(left), x, y - 26, theme.ink)
  })
}

function drawPiece({ canvas, theme }: Picture, resource: Resource, x: number, y: number, size: number): void {
  if (resource === Resource.Egg) {
    canvas.beginPath()
    canvas.ellipse(x, y, 4.2 * size, 5.4 * size, 0.25, 0, FULL_TURN)
    canvas.fillStyle = mix(theme.egg, theme.raise, 0.45)
    canvas.fill()
    canvas.lineWidth = size
    canvas.strokeStyle = mix(theme.egg, theme.ink, 0.3)
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
  facet(mix(theme.gem, theme.raise, 0.55), [-5, -2], [0, -8], [0, 1])
  facet(mix(theme.gem, theme.ink, theme.dark ? 0.35 : 0.25), [0, 1], [5, -2], [0, 8])
}

/** Text with a rim, to be read on anything. */
function label({ canvas, theme }: Picture, text: string, x: number, y: number, colour: string): void {
  canvas.lineWidth = 3.5
  canvas.strokeStyle = theme.raise
  canvas.fillStyle = colour
  canvas.strokeText(text, x, y)
  canvas.fillText(text, x, y)
}

/** A number of ants of one seat. */
function drawChip({ canvas, theme }: Picture, seat: Seat, [x, y]: Point, count: number, size = 1): void {
  const radius = Math.min(17, 9.5 + Math.log2(count + 1) * 1.4) * size
  playerShape(canvas, seat, x, y, radius)
  canvas.fillStyle = theme.players[seat]!
  canvas.fill()
  canvas.lineWidth = 2
  canvas.strokeStyle = theme.raise
  canvas.stroke()
  canvas.fillStyle = theme.onPlayer
  canvas.font = `700 ${count > 99 ? radius * 0.78 : radius * 1.02}px ${theme.mono}`
  canvas.fillText(String(count), x, y + radius * 0.06)
}

/** The ants that stand still: all of them, less those that are on their way. */
function drawResting(picture: Picture): void {
  const { init, late, view } = picture
  const state = late ? view.b : view.a
  for (const seat of SEATS) {
    const leaving = new Map<Cell, number>()
    if (view.k > 0 && !late) {
      for (const [mover, from, , count] of movesOf(view.next, init)) {
        if (mover === seat) leaving.set(from, (leaving.get(from) ?? 0) + count)
      }
    }
    state.ants[seat]!.forEach((ants, cell) => {
      const count = ants - (leaving.get(cell) ?? 0)
      if (count > 0) drawChip(picture, seat, antsPlace(init, state, cell, seat), count)
    })
  }
}

function drawWalking(picture: Picture): void {
  const { canvas, init, theme, view } = picture
  const done = view.k / WALKED
  for (const [seat, from, to, count] of movesOf(view.next, init)) {
    const [x1, y1] = antsPlace(init, view.a, from, seat)
    const [x2, y2] = antsPlace(init, view.b, to, seat)
    const length = Math.hypot(x2 - x1, y2 - y1) || 1
    const across: Point = [-(y2 - y1) / length, (x2 - x1) / length]
    canvas.fillStyle = theme.players[seat]!
    for (let dot = Math.min(MOST_DOTS, count) - 1; dot > 0; dot--) {
      const way = ease(Math.max(0, Math.min(1, done * 1.25 - dot * 0.045)))
      const aside = (((dot * 37) % 11) - 5) * 1.1
      playerShape(canvas, seat, x1 + (x2 - x1) * way + across[0] * aside, y1 + (y2 - y1) * way + across[1] * aside, 3.2)
      canvas.fill()
    }
    const way = ease(Math.min(1, done))
    drawChip(picture, seat, [x1 + (x2 - x1) * way, y1 + (y2 - y1) * way], count, 0.82)
  }
}

function drawHarvest(picture: Picture): void {
  const { canvas, init, theme, view, reap } = picture
  for (const [seat, cell, amount, route] of view.next?.h ?? []) {
    for (let piece = 0; piece < Math.min(MOST_PIECES, amount); piece++) {
      const way = Math.max(0, reap * 1.3 - piece * 0.07)
      if (route.length > 1 && way <= 1) {
        const [x, y] = along(init, route, way)
        drawPiece(picture, init.cells[cell]![2], x, y, 0.65)
      }
    }
    const [x, y] = centre(init, cell)
    canvas.globalAlpha = 1 - reap
    canvas.font = `700 14px ${theme.mono}`
    label(picture, `+${amount}`, x + (seat === 0 ? -27 : 27), y - 6 - reap * 14, theme.players[seat]!)
    canvas.globalAlpha = 1
  }
}

/** A point on the way along the centres of a route, k from 0 to 1. */
function along(init: Init, route: Cell[], k: number): Point {
  const position = k * (route.length - 1)
  const leg = Math.min(route.length - 2, Math.floor(position))
  const [x1, y1] = centre(init, route[leg]!)
  const [x2, y2] = centre(init, route[leg + 1]!)
  return [x1 + (x2 - x1) * (position - leg), y1 + (y2 - y1) * (position - leg)]
}

function drawHover({ canvas, init, theme, view }: Picture): void {
  const cell = view.hover && cellAt(init, ...view.hover)
  if (cell === null) return
  hexagon(canvas, centre(init, cell), RADIUS - 1)
  canvas.lineWidth = 2.5
  canvas.strokeStyle = theme.ink
  canvas.stroke()
}

// --- Messages: a bubble over each seat's first base, in CSS pixels so that it can always be read ------------------

const BUBBLE_TEXT = 45

function drawMessages(canvas: Canvas, view: AntsView): void {
  if (!view.layers.messages) return
  const messages = (view.k > 0 ? view.next : view.frame)?.msg ?? []
  const { init } = view.header
  canvas.font = `600 13px ${view.theme.font}`
  canvas.textBaseline = 'middle'
  canvas.textAlign = 'left'
  messages.forEach((text, seat) => {
    const base = init.bases[seat]?.[0]
    if (!text || base === undefined) return
    const [x, y] = centre(init, base)
    const at: Point = [(x - view.box.x) * view.zoom, (y - view.box.y - RADIUS * 0.8) * view.zoom]
    drawBubble(canvas, view, seat, at, text.length > BUBBLE_TEXT ? `${text.slice(0, BUBBLE_TEXT)}…` : text)
  })
}

function drawBubble(canvas: Canvas, { theme, width }: AntsView, seat: Seat, [x, y]: Point, text: string): void {
  const w = canvas.measureText(text).width + 20
  const h = 26
  const left = Math.max(6, Math.min(width - w - 6, x - w / 2))
  const top = Math.max(6, y - h - 8)
  canvas.beginPath()
  canvas.roundRect(left, top, w, h, 6)
  canvas.moveTo(x - 5, top + h)
  canvas.lineTo(x, top + h + 7)
  canvas.lineTo(x + 5, top + h)
  canvas.fillStyle = theme.raise
  canvas.strokeStyle = theme.players[seat]!
  canvas.lineWidth = 3
  canvas.stroke()
  canvas.fill()
  canvas.fillStyle = theme.ink
  canvas.fillText(text, left + 10, top + h / 2 + 1)
}
