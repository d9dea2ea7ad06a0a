/*
 * How Yavalath looks: stones that fall on a hexagon of hexagons, and the line that decides the match.
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

type Point = [x: number, y: number]
type Canvas = CanvasRenderingContext2D

/** A stone at (x, y) by seat p, or, in place of the stone, why its reply was no move. */
interface YavalathFrame extends Frame {
  p: number
  x?: number
  y?: number
  /** It took the stone that lay there. */
  steal?: true
  /** The line that ends the match: four or more win, three lose. */
  line?: Point[]
  bad?: string
}

interface Stone {
  seat: number
  x: number
  y: number
  turn: number
  stolen: boolean
}

/** `last`: the stone of the newest move, if that was a move. */
export interface State {
  stones: Stone[]
  last: Stone | null
  line: { seat: number; places: Point[] } | null
  bad: { seat: number; why: string } | null
}

type YavalathView = View<unknown, YavalathFrame, State>

/** y is the row from the top, x the place in the row from the left. */
const ROW_LENGTHS = [5, 6, 7, 8, 9, 8, 7, 6, 5]
const MIDDLE_ROW = 4
/** A cell's radius; the world's unit is arbitrary. */
const RADIUS = 40
const STONE = 21
const WINNING = 4
const FALL = 26
const FULL_TURN = 2 * Math.PI

const PLACES: Point[] = ROW_LENGTHS.flatMap((length, y) => Array.from({ length }, (_, x): Point => [x, y]))

const viewer: GameViewer<unknown, YavalathFrame, State> = {
  rate: 1.2,
  layers: {
    order: { label: 'Order of the moves', on: false },
    names: { label: 'Coordinates', on: false },
  },

  start: () => ({ stones: [], last: null, line: null, bad: null }),
  step,
  bounds: (): Box => ({ x: -RADIUS * 8.1, y: -RADIUS * 7.3, w: RADIUS * 16.2, h: RADIUS * 14.6 }),
  draw,
  hit,

  marks,
  score: (state, { players }) => players.map((_, seat) => String(scoreOf(state, seat))),
  note: (state, { players }) =>
    players.map((_, seat) => (state.line?.seat === seat ? verdict(state.line.places) : stones(count(state, seat)))),
  describe,
}
export default viewer

// --- State --------------------------------------------------------------------------------------------------------

function step(before: State, frame: YavalathFrame): State {
  const { p: seat, x, y, t: turn } = frame
  if (x === undefined || y === undefined) {
    return { ...before, last: null, bad: { seat, why: frame.bad ?? 'no move' } }
  }
  const last: Stone = { seat, x, y, turn, stolen: frame.steal === true }
  const others = before.stones.filter((stone) => stone.x !== x || stone.y !== y)
  return { stones: [...others, last], last, line: frame.line ? { seat, places: frame.line } : null, bad: null }
}

const count = (state: State, seat: number): number => state.stones.filter((stone) => stone.seat === seat).length

const stones = (count: number): string => `${count} ${count === 1 ? 'stone' : 'stones'}`

/** Of the rules: 1 for who made a line of four, or whose opponent made one of three; −1 for no move. */
function scoreOf({ line, bad }: State, seat: number): number {
  if (bad) return bad.seat === seat ? -1 : 0
  return line && line.places.length >= WINNING === (line.seat === seat) ? 1 : 0
}

const verdict = (line: Point[]): string =>
  line.length >= WINNING ? `${line.length} in a row win` : `${line.length} in a row lose`

function marks(frame: YavalathFrame, { players }: Header): Mark[] {
  const bot = players[frame.p]?.bot ?? 'A bot'
  const found: Mark[] = []
  if (frame.steal) found.push({ label: `${bot} takes the first stone`, player: frame.p })
  if (frame.line) found.push({ label: `${bot}: ${verdict(frame.line)}`, player: frame.p })
  return found
}

function describe(state: State, { players }: Header): string {
  const name = (seat: number): string => players[seat]?.bot ?? 'A bot'
  if (state.bad) return `${name(state.bad.seat)} made no move: ${state.bad.why}.`
  if (!state.last) return 'The board is empty.'
  const { seat, x, y, stolen } = state.last
  const move = `${name(seat)} ${stolen ? 'takes the stone at' : 'plays'} ${x} ${y}.`
  return state.line ? `${move} ${verdict(state.line.places)}.` : move
}

// --- Places -------------------------------------------------------------------------------------------------------

const centre = (x: number, y: number): Point => [
  (x - (ROW_LENGTHS[y]! - 1) / 2) * RADIUS * Math.sqrt(3),
  (y - MIDDLE_ROW) * RADIUS * 1.5,
]

function placeAt(x: number, y: number): Point | null {
  const near = ([px, py]: Point): boolean => {
    const [cx, cy] = centre(px, py)
    return Math.hypot(cx - x, cy - y) < RADIUS * 0.87
  }
  return PLACES.find(near) ?? null
}

function hit(x: number, y: number, { a, header }: YavalathView): Tip | null {
  const place = placeAt(x, y)
  if (!place) return null
  const stone = a.stones.find((other) => other.x === place[0] && other.y === place[1])
  const rows: Tip['rows'] = []
  if (stone) {
    const value = `turn ${stone.turn}${stone.stolen ? ', taken' : ''}`
    rows.push({ label: header.players[stone.seat]!.bot, value, player: stone.seat })
  }
  return { title: `x ${place[0]}, y ${place[1]}`, rows, at: centre(...place) }
}

// --- Picture ------------------------------------------------------------------------------------------------------

function draw(canvas: Canvas, view: YavalathView): void {
  canvas.textAlign = 'center'
  canvas.textBaseline = 'middle'
  canvas.lineJoin = 'round'
  canvas.lineCap = 'round'
  for (const place of PLACES) drawCell(canvas, view, place)
  drawNewest(canvas, view)
  for (const stone of view.a.stones) drawStone(canvas, view, stone)
  if (view.k > 0) drawMove(canvas, view)
  const line = view.a.line
  if (line) drawLine(canvas, view, line.places)
}

function hexagon(canvas: Canvas, [x, y]: Point, radius: number): void {
  canvas.beginPath()
  for (let corner = 0; corner < 6; corner++) {
    const angle = (corner * Math.PI) / 3
    canvas.lineTo(x + radius * Math.sin(angle), y + radius * Math.cos(angle))
  }
  canvas.closePath()
}

function drawCell(canvas: Canvas, { theme, layers, hover, a }: YavalathView, place: Point): void {
  const at = centre(...place)
  const inLine = a.line?.places.some(([x, y]) => x === place[0] && y === place[1])
  const under = hover && placeAt(...hover)
  const hovered = under !== null && under[0] === place[0] && under[1] === place[1]
  hexagon(canvas, at, RADIUS - 1.5)
  canvas.fillStyle = inLine ? mix(theme.raise, lineColour(theme, a.line!.places), 0.22) : theme.raise
  canvas.fill()
  canvas.strokeStyle = hovered ? theme.ink : theme.line
  canvas.lineWidth = hovered ? 2.5 : 1.2
  canvas.stroke()
  if (layers.names) {
    canvas.fillStyle = theme.soft
    canvas.font = `500 10px ${theme.mono}`
    canvas.fillText(`${place[0]} ${place[1]}`, at[0], at[1] + RADIUS * 0.66)
  }
}

/** The newest stone's cell has a rim, so that one sees what was played. */
function drawNewest(canvas: Canvas, { a, k, theme }: YavalathView): void {
  if (!a.last || a.line) return
  hexagon(canvas, centre(a.last.x, a.last.y), RADIUS - 4)
  canvas.strokeStyle = alpha(theme.players[a.last.seat]!, 0.65 * (1 - k))
  canvas.lineWidth = 2.5
  canvas.stroke()
}

function drawStone(canvas: Canvas, view: YavalathView, stone: Stone): void {
  // A stone that is being taken gives way to the new one.
  const { next, k } = view
  const taken = k > 0 && next?.x === stone.x && next.y === stone.y
  shape(canvas, view, stone, taken ? 1 - k : 1, 0)
}

function drawMove(canvas: Canvas, view: YavalathView): void {
  const stone = view.b.last
  if (!stone) return
  const landed = ease(Math.min(1, view.k * 1.4))
  shape(canvas, view, stone, landed, (1 - landed) * FALL)
}

function shape(canvas: Canvas, { theme, layers }: YavalathView, stone: Stone, opacity: number, above: number): void {
  const [x, y] = centre(stone.x, stone.y)
  canvas.globalAlpha = opacity
  playerShape(canvas, stone.seat, x, y - above, STONE)
  canvas.fillStyle = theme.players[stone.seat]!
  canvas.fill()
  if (stone.stolen) drawTaken(canvas, theme, stone, [x, y - above])
  if (layers.order) {
    canvas.fillStyle = theme.onPlayer
    canvas.font = `700 14px ${theme.mono}`
    canvas.fillText(String(stone.turn), x, y - above + 1)
  }
  canvas.globalAlpha = 1
}

/** A stone that took another wears the other's colour as a rim. */
function drawTaken(canvas: Canvas, theme: Theme, stone: Stone, [x, y]: Point): void {
  playerShape(canvas, 1 - stone.seat, x, y, STONE + 6)
  canvas.strokeStyle = theme.players[1 - stone.seat]!
  canvas.lineWidth = 3
  canvas.setLineDash([5, 6])
  canvas.stroke()
  canvas.setLineDash([])
}

const lineColour = (theme: Theme, line: Point[]): string => (line.length >= WINNING ? theme.good : theme.bad)

/** A line that wins is drawn through; one that loses also gets a cross on each stone. */
function drawLine(canvas: Canvas, { theme }: YavalathView, line: Point[]): void {
  const points = line.map(([x, y]) => centre(x, y))
  const path = (): void => {
    canvas.beginPath()
    for (const [x, y] of points) canvas.lineTo(x, y)
    canvas.stroke()
  }
  canvas.strokeStyle = theme.raise
  canvas.lineWidth = 11
  path()
  canvas.strokeStyle = lineColour(theme, line)
  canvas.lineWidth = 6
  path()
  const sign = line.length >= WINNING ? drawDot : drawCross
  for (const [x, y] of points) sign(canvas, theme, x, y)
}

function drawDot(canvas: Canvas, theme: Theme, x: number, y: number): void {
  canvas.beginPath()
  canvas.arc(x, y, 8, 0, FULL_TURN)
  canvas.fillStyle = theme.good
  canvas.fill()
  canvas.lineWidth = 2.5
  canvas.strokeStyle = theme.raise
  canvas.stroke()
}

function drawCross(canvas: Canvas, theme: Theme, x: number, y: number): void {
  const arm = 9
  canvas.beginPath()
  canvas.moveTo(x - arm, y - arm)
  canvas.lineTo(x + arm, y + arm)
  canvas.moveTo(x + arm, y - arm)
  canvas.lineTo(x - arm, y + arm)
  canvas.lineWidth = 8
  canvas.strokeStyle = theme.raise
  canvas.stroke()
  canvas.lineWidth = 4.5
  canvas.strokeStyle = theme.bad
  canvas.stroke()
}
