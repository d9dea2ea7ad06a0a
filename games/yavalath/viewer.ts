/*
 * How Yavalath looks: stones that fall on a hexagon of hexagons, and the line that decides the match.
 * replay.md describes the frames, frontend/src/viewer/game.ts the interface.
 */
import { alpha, captionRoom, drawCaption, ease, mix, playerShape, type Box, type GameViewer, type Header, type Theme, type Tip } from '$viewer/game'
import { ask } from './ask'
import { caption } from './caption'
import { centre, hexagon, placeAt, RADIUS, type Canvas, type YavalathView } from './places'
import {
  count,
  marks,
  PLACES,
  ROW_LENGTHS,
  scoreOf,
  start,
  step,
  stones,
  verdict,
  WINNING,
  type Point,
  type State,
  type Stone,
  type YavalathFrame,
} from './state'
import { threatsOf } from './threats'

export type { State } from './state'

const STONE = 22
const FALL = 26
const FULL_TURN = 2 * Math.PI

const viewer: GameViewer<unknown, YavalathFrame, State> = {
  rate: 1.2,
  layers: {
    threats: { label: 'Threats', on: true },
    losing: { label: 'Cells that lose', on: false },
    names: { label: 'Coordinates', on: true },
    order: { label: 'Order of the moves', on: false },
  },

  start,
  step,
  bounds: (): Box => ({ x: -RADIUS * 8.5, y: -RADIUS * 7.15, w: RADIUS * 17, h: RADIUS * 14.3 }),
  draw,
  hud,
  foot: captionRoom,
  hit,
  ask,

  marks,
  score: (state, { players }) => players.map((_, seat) => String(scoreOf(state, seat))),
  note: (state, { players }) =>
    players.map((_, seat) => (state.line?.seat === seat ? verdict(state.line.places) : stones(count(state, seat)))),
  describe,
}
export default viewer

function hud(canvas: Canvas, view: YavalathView): void {
  const found = caption(view.a, view.header)
  if (found) drawCaption(canvas, view, found)
}

function describe(state: State, { players }: Header): string {
  const name = (seat: number): string => players[seat]?.bot ?? 'A bot'
  if (state.bad) return `${name(state.bad.seat)} made no move: ${state.bad.why}.`
  if (!state.last) return 'The board is empty.'
  const { seat, x, y, stolen } = state.last
  const move = `${name(seat)} ${stolen ? 'steals the stone at' : 'plays'} ${x} ${y}.`
  const more = state.last.stolen ? null : caption(state, { players } as Header)
  return state.line ? `${move} ${verdict(state.line.places)}.` : more ? `${move} ${more.text}.` : move
}

// --- Tooltip ------------------------------------------------------------------------------------------------------

function hit(x: number, y: number, { a, header }: YavalathView): Tip | null {
  const place = placeAt(x, y)
  if (!place) return null
  const stone = a.stones.find((other) => other.x === place[0] && other.y === place[1])
  const rows: Tip['rows'] = []
  if (stone) {
    const value = `turn ${stone.turn}${stone.stolen ? ', taken' : ''}`
    rows.push({ label: header.players[stone.seat]!.bot, value, player: stone.seat })
  }
  else rows.push(...worth(place, a, header))
  return { title: `x ${place[0]}, y ${place[1]}`, rows, at: centre(...place) }
}

/** What a stone on an empty cell would do at once. */
function worth([x, y]: Point, state: State, { players }: Header): Tip['rows'] {
  const { wins, losses } = threatsOf(state)
  const has = (places: Point[]): boolean => places.some(([px, py]) => px === x && py === y)
  return players.flatMap(({ bot }, player) => {
    const value = has(wins[player]!) ? 'would win' : has(losses[player]!) ? 'would lose' : ''
    return value ? [{ label: bot, value, player }] : []
  })
}

// --- Picture ------------------------------------------------------------------------------------------------------

function draw(canvas: Canvas, view: YavalathView): void {
  canvas.textAlign = 'center'
  canvas.textBaseline = 'middle'
  canvas.lineJoin = 'round'
  canvas.lineCap = 'round'
  for (const place of PLACES) drawCell(canvas, view, place)
  if (view.layers.names) drawRows(canvas, view)
  if (view.layers.losing) drawLosing(canvas, view)
  drawNewest(canvas, view)
  for (const stone of view.a.stones) drawStone(canvas, view, stone)
  if (view.k > 0) drawMove(canvas, view)
  if (view.layers.threats) drawThreats(canvas, view)
  const line = view.a.line
  if (line) drawLine(canvas, view, line.places)
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
  if (!layers.names) return
  canvas.fillStyle = alpha(theme.soft, 0.75)
  canvas.font = `500 10px ${theme.mono}`
  canvas.fillText(String(place[0]), at[0], at[1] + RADIUS * 0.79)
}

/** The rows' numbers to the left of the board; in a row, each cell has its x. */
function drawRows(canvas: Canvas, { theme }: YavalathView): void {
  canvas.fillStyle = theme.soft
  canvas.font = `550 13px ${theme.mono}`
  ROW_LENGTHS.forEach((_, row) => {
    const [x, y] = centre(0, row)
    canvas.fillText(`y${row}`, x - RADIUS * 1.2, y + 1)
  })
}

// --- Threats ------------------------------------------------------------------------------------------------------

/** Where a seat would win: its shape, hollow; with a ring where the other seat has to reply. They fade as a move comes. */
function drawThreats(canvas: Canvas, view: YavalathView): void {
  const { theme, a, k } = view
  const { wins, forced } = threatsOf(a)
  canvas.globalAlpha = Math.max(0, 1 - k * 2)
  for (const [x, y] of forced) {
    hexagon(canvas, centre(x, y), RADIUS - 5)
    canvas.fillStyle = alpha(theme.bad, 0.14)
    canvas.fill()
    canvas.strokeStyle = theme.bad
    canvas.lineWidth = 2.5
    canvas.setLineDash([6, 5])
    canvas.stroke()
    canvas.setLineDash([])
  }
  wins.forEach((places, seat) => {
    canvas.strokeStyle = theme.players[seat]!
    canvas.lineWidth = 3
    for (const [x, y] of places) {
      const at = centre(x, y)
      playerShape(canvas, seat, at[0], at[1], STONE * 0.62)
      canvas.stroke()
      canvas.fillStyle = theme.players[seat]!
      canvas.font = `750 15px ${theme.mono}`
      canvas.fillText(String(WINNING), at[0], at[1] + 1)
    }
  })
  canvas.globalAlpha = 1
}

/** Where a seat would make a three: a small cross in its colour, seat 0's to the left. */
function drawLosing(canvas: Canvas, { theme, a }: YavalathView): void {
  threatsOf(a).losses.forEach((places, seat) => {
    canvas.strokeStyle = alpha(theme.players[seat]!, 0.75)
    canvas.lineWidth = 2.5
    for (const [px, py] of places) {
      const [x, y] = centre(px, py)
      crossPath(canvas, x + (seat === 0 ? -16 : 16), y - 16, 4)
      canvas.stroke()
    }
  })
}

function crossPath(canvas: Canvas, x: number, y: number, arm: number): void {
  canvas.beginPath()
  canvas.moveTo(x - arm, y - arm)
  canvas.lineTo(x + arm, y + arm)
  canvas.moveTo(x + arm, y - arm)
  canvas.lineTo(x - arm, y + arm)
}

// --- Stones -------------------------------------------------------------------------------------------------------

/** The newest stone's cell has a rim, so that one sees what was played. */
function drawNewest(canvas: Canvas, { a, k, theme }: YavalathView): void {
  if (!a.last || a.line) return
  hexagon(canvas, centre(a.last.x, a.last.y), RADIUS - 4)
  canvas.strokeStyle = alpha(theme.players[a.last.seat]!, 0.65 * (1 - k))
  canvas.lineWidth = 2.5
  canvas.stroke()
}

/** A stone that is being stolen turns over. */
function drawStone(canvas: Canvas, view: YavalathView, stone: Stone): void {
  const { next, k } = view
  const stolen = k > 0 && next?.x === stone.x && next.y === stone.y
  if (stolen) turned(canvas, stone, Math.max(0, 1 - 2 * k), () => shape(canvas, view, stone, 1, 0))
  else shape(canvas, view, stone, 1, 0)
}

function drawMove(canvas: Canvas, view: YavalathView): void {
  const stone = view.b.last
  if (!stone) return
  if (stone.stolen) {
    turned(canvas, stone, Math.max(0, 2 * view.k - 1), () => shape(canvas, view, stone, 1, 0))
    return
  }
  const landed = ease(Math.min(1, view.k * 1.4))
  shape(canvas, view, stone, landed, (1 - landed) * FALL)
}

/** Draws something as wide as a part of itself, around a stone's middle. */
function turned(canvas: Canvas, { x, y }: Stone, width: number, paint: () => void): void {
  const [cx] = centre(x, y)
  canvas.save()
  canvas.translate(cx, 0)
  canvas.scale(Math.max(0.001, width), 1)
  canvas.translate(-cx, 0)
  paint()
  canvas.restore()
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
  crossPath(canvas, x, y, 9)
  canvas.lineWidth = 8
  canvas.strokeStyle = theme.raise
  canvas.stroke()
  canvas.lineWidth = 4.5
  canvas.strokeStyle = theme.bad
  canvas.stroke()
}
