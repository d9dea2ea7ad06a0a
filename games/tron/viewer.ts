/*
 * How Tron looks: trails of light on a grid, the cells that each cycle reaches first, and where the others went out.
 * replay.md describes the frames, frontend/src/viewer/game.ts the interface.
 */
import { alpha, captionRoom, drawCaption, ease, playerShape, type Box, type GameViewer, type Header, type Tip } from '$viewer/game'
import { ask } from './ask'
import { caption } from './caption'
import { CELL, centre, placeAt, type Canvas, type TronView } from './places'
import { cells, headOf, listed, marks, nameOf, riding, said, start, step, survived, type Crash, type Init, type Point, type State, type TronFrame } from './state'
import { NOBODY, SEVERAL, territoryOf } from './territory'

export type { State } from './state'

/** A trail is as wide as this share of a cell; its light line is a part of that. */
const TRAIL = CELL * 0.5
const LIGHT = CELL * 0.12
const HEAD = CELL * 0.42
const MARGIN = CELL

const viewer: GameViewer<Init, TronFrame, State> = {
  rate: 6,
  layers: {
    territory: { label: 'Cells reached first', on: true },
    crashes: { label: 'Where cycles crashed', on: true },
    names: { label: 'Coordinates', on: false },
  },

  start,
  step,
  bounds: ({ init }): Box => ({ x: -MARGIN, y: -MARGIN, w: init.w * CELL + 2 * MARGIN, h: init.h * CELL + 2 * MARGIN }),
  draw,
  hud,
  foot: captionRoom,
  hit,
  ask,

  curve,
  marks,
  score: (state, { players }) => players.map((_, seat) => String(survived(state, seat))),
  note: (state, { players, init }) => {
    const { counts } = territoryOf(state, init)
    return players.map((_, seat) => (state.crashes[seat] ? 'out' : cells(counts[seat] ?? 0)))
  },
  describe,
}
export default viewer

/** For each seat, the cells that it reaches first. */
function curve(frames: TronFrame[], header: Header<Init>): number[][] {
  let state = start(header)
  const states = [state, ...frames.map((frame) => (state = step(state, frame)))]
  return header.players.map((_, seat) => states.map((one) => territoryOf(one, header.init).counts[seat] ?? 0))
}

function hud(canvas: Canvas, view: TronView): void {
  const found = caption(view.a, view.header)
  if (found) drawCaption(canvas, view, found)
}

function describe(state: State, header: Header<Init>): string {
  const crashes = state.crashes.flatMap((crash) => (crash && crash.turn === state.turn ? [`${said(crash, header)}.`] : []))
  const left = riding(state).map((seat) => nameOf(header, seat))
  const now = left.length === 0 ? 'Nobody rides any more.' : `${listed(left)} ${left.length === 1 ? 'rides' : 'ride'}.`
  return [...crashes, now].join(' ')
}

// --- Tooltip ------------------------------------------------------------------------------------------------------

function hit(x: number, y: number, { a, header }: TronView): Tip | null {
  const place = placeAt(x, y, header.init)
  if (!place) return null
  const here = ([px, py]: Point): boolean => px === place[0] && py === place[1]
  const rows: Tip['rows'] = a.trails.flatMap((trail, player) => {
    const turn = trail.findIndex(here)
    const value = turn === trail.length - 1 ? 'is here' : turn === 0 ? 'started here' : `since turn ${turn}`
    return turn < 0 ? [] : [{ label: nameOf(header, player), value, player }]
  })
  for (const crash of a.crashes) {
    if (crash && here(crash.at)) rows.push({ label: nameOf(header, crash.seat), value: `crashed in turn ${crash.turn}`, player: crash.seat })
  }
  if (rows.length === 0) rows.push(firstAt(place, a, header))
  return { title: `x ${place[0]}, y ${place[1]}`, rows, at: centre(place) }
}

function firstAt([x, y]: Point, state: State, header: Header<Init>): Tip['rows'][number] {
  const { owners, turns } = territoryOf(state, header.init)
  const cell = y * header.init.w + x
  const owner = owners[cell]!
  if (owner === NOBODY) return { label: 'Free', value: 'nobody can get here' }
  const value = `in ${turns[cell]!} ${turns[cell] === 1 ? 'turn' : 'turns'}`
  return owner === SEVERAL ? { label: 'Several reach it', value } : { label: `${nameOf(header, owner)} first`, value, player: owner }
}

// --- Picture ------------------------------------------------------------------------------------------------------

function draw(canvas: Canvas, view: TronView): void {
  canvas.lineJoin = 'round'
  canvas.lineCap = 'round'
  drawFloor(canvas, view)
  if (view.layers.territory) drawTerritory(canvas, view)
  if (view.layers.names) drawNames(canvas, view)
  if (view.layers.crashes) for (const crash of view.a.crashes) if (crash) drawCross(canvas, view, crash)
  view.a.trails.forEach((trail, seat) => trail.length > 0 && drawTrail(canvas, view, trail, seat))
  view.a.trails.forEach((trail, seat) => trail.length > 0 && drawHead(canvas, view, seat))
}

function drawFloor(canvas: Canvas, { theme, header, hover }: TronView): void {
  const { w, h } = header.init
  canvas.fillStyle = theme.raise
  canvas.fillRect(0, 0, w * CELL, h * CELL)
  canvas.beginPath()
  for (let x = 1; x < w; x++) line(canvas, [x * CELL, 0], [x * CELL, h * CELL])
  for (let y = 1; y < h; y++) line(canvas, [0, y * CELL], [w * CELL, y * CELL])
  canvas.strokeStyle = alpha(theme.line, 0.6)
  canvas.lineWidth = 0.8
  canvas.stroke()
  canvas.strokeStyle = theme.soft
  canvas.lineWidth = 3
  canvas.strokeRect(-1.5, -1.5, w * CELL + 3, h * CELL + 3)
  const under = hover && placeAt(...hover, header.init)
  if (!under) return
  canvas.strokeStyle = theme.ink
  canvas.lineWidth = 1.5
  canvas.strokeRect(under[0] * CELL, under[1] * CELL, CELL, CELL)
}

function line(canvas: Canvas, from: Point, to: Point): void {
  canvas.moveTo(...from)
  canvas.lineTo(...to)
}

/** Cells that several reach in the same turn have a small dot. */
function drawTerritory(canvas: Canvas, { theme, a, header }: TronView): void {
  const { w } = header.init
  territoryOf(a, header.init).owners.forEach((owner, cell) => {
    if (owner === NOBODY) return
    const [x, y] = [cell % w, Math.floor(cell / w)]
    if (owner === SEVERAL) {
      canvas.beginPath()
      canvas.arc(...centre([x, y]), CELL * 0.09, 0, 2 * Math.PI)
      canvas.fillStyle = theme.soft
      canvas.fill()
      return
    }
    canvas.fillStyle = alpha(theme.players[owner]!, theme.dark ? 0.2 : 0.16)
    canvas.fillRect(x * CELL + 0.5, y * CELL + 0.5, CELL - 1, CELL - 1)
  })
}

function drawNames(canvas: Canvas, { theme, header }: TronView): void {
  canvas.fillStyle = theme.soft
  canvas.font = `500 ${CELL * 0.45}px ${theme.mono}`
  canvas.textAlign = 'center'
  canvas.textBaseline = 'middle'
  for (let x = 0; x < header.init.w; x++) canvas.fillText(String(x), (x + 0.5) * CELL, -CELL * 0.45)
  for (let y = 0; y < header.init.h; y++) canvas.fillText(String(y), -CELL * 0.5, (y + 0.5) * CELL)
}

/** Between two turns a trail grows to its next cell, or fades if its cycle crashes. */
function drawTrail(canvas: Canvas, view: TronView, trail: Point[], seat: number): void {
  const { theme, b, k } = view
  const crashing = k > 0 && b.trails[seat]!.length === 0
  canvas.globalAlpha = crashing ? 1 - ease(k) : 1
  const path = [...trail.map(centre), headAt(view, seat)]
  for (const [width, colour] of [[TRAIL, theme.players[seat]!], [LIGHT, alpha(theme.onPlayer, 0.75)]] as const) {
    canvas.beginPath()
    path.forEach(([x, y]) => canvas.lineTo(x, y))
    canvas.strokeStyle = colour
    canvas.lineWidth = width
    canvas.stroke()
  }
  canvas.globalAlpha = 1
}

function drawHead(canvas: Canvas, view: TronView, seat: number): void {
  const { theme, b, k } = view
  const crash = k > 0 && b.trails[seat]!.length === 0 ? b.crashes[seat] : null
  const [x, y] = headAt(view, seat)
  canvas.globalAlpha = crash ? 1 - ease(k) : 1
  playerShape(canvas, seat, x, y, crash ? HEAD * (1 + k) : HEAD)
  canvas.fillStyle = theme.players[seat]!
  canvas.fill()
  canvas.strokeStyle = theme.ink
  canvas.lineWidth = 2
  canvas.stroke()
  canvas.globalAlpha = 1
}

/** A cycle rides on to its next cell; one that crashes comes as far as the edge of its own. */
function headAt({ a, b, k }: TronView, seat: number): Point {
  const from = headOf(a, seat)!
  if (k === 0) return centre(from)
  const crash = b.trails[seat]!.length === 0 ? b.crashes[seat] : null
  const to = crash ? crash.aim : (headOf(b, seat) ?? from)
  const way = crash ? Math.min(0.5, k) : k
  return centre([from[0] + (to[0] - from[0]) * way, from[1] + (to[1] - from[1]) * way])
}

/** Where a cycle went out; in the turn of the crash it is ringed. */
function drawCross(canvas: Canvas, { theme, a }: TronView, { seat, at, turn }: Crash): void {
  const [x, y] = centre(at)
  const arm = CELL * 0.24
  canvas.beginPath()
  line(canvas, [x - arm, y - arm], [x + arm, y + arm])
  line(canvas, [x + arm, y - arm], [x - arm, y + arm])
  canvas.strokeStyle = theme.players[seat]!
  canvas.lineWidth = 3
  canvas.stroke()
  if (turn !== a.turn) return
  canvas.beginPath()
  canvas.arc(x, y, CELL * 0.7, 0, 2 * Math.PI)
  canvas.strokeStyle = theme.bad
  canvas.lineWidth = 2
  canvas.stroke()
}
