/*
 * How Battlegrounds looks. A turn is drawn in two parts: first the bots act, then Life advances. `life` plays and paints
 * the cells, `state` reads the replay, `moment` says where things are, `board` and `hud` are the lower and the upper
 * part of the picture; what lies between is here.
 */
import { alpha, ease, playerShape, teamName, teamOf, teamsOf, type GameViewer, type Header, type Tip } from '$viewer/game'
import { drawBoard } from './board'
import { neighboursAt } from './events'
import { focus, spots } from './focus'
import { foot, hud, phase } from './hud'
import { ageAt, isAlive, OLDEST } from './life'
import { grown, moment, shown, type BattleView, type Shown } from './moment'
import {
  agesAt,
  botNumber,
  curve,
  FULL_HP,
  isLanded,
  key,
  living,
  marks,
  perTeam,
  start,
  step,
  shortestOffset,
  wrap,
  type BattleFrame,
  type Init,
  type Point,
  type Seat,
  type State,
} from './state'

type Canvas = CanvasRenderingContext2D

const SIGHT = 25
/** Bots land somewhere in this square around the place that they chose. */
const LANDING = 9
/** From these zooms on, in CSS pixels a cell. */
const ZOOM_SIGHT = 2.2
const ZOOM_HP = 5
const ZOOM_CELL_TIPS = 5
/** For how many turns the fallen can be seen. */
const FALLEN_TURNS = 40
const ARROWS = ['', '↖', '↑', '↗', '←', '', '→', '↙', '↓', '↘']

const viewer: GameViewer<Init, BattleFrame, State> = {
  rate: 8,
  every: 64,
  closest: 24,
  layers: {
    tiles: { label: 'Tiles of the bots', on: true },
    events: { label: 'Events', on: true },
    territory: { label: 'Territory', on: true },
    sight: { label: 'Sight (25 × 25)', on: false },
    chat: { label: 'Messages', on: true },
    health: { label: 'Health', on: true },
    trails: { label: 'Traces of dead cells', on: true },
    map: { label: 'Map when zoomed in', on: true },
  },

  start,
  step,
  key,
  bounds: ({ init }) => ({ x: 0, y: 0, w: init.size, h: init.size }),
  draw,
  hud,
  foot,
  hit,
  focus,
  spots,

  seat: (seat) => `bot ${2 + (seat % 4)}`,
  curve,
  marks,
  score: (state, header) => teamsOf(header).map((_, team) => String(scoreOf(state, header, team))),
  note: (state, header) => {
    const hp = perTeam(header, (seat) => state.bots[seat]?.hp ?? 0)
    const bots = perTeam(header, (seat) => (state.bots[seat]?.hp ? 1 : 0))
    return bots.map((count, team) =>
      isLanded(header, state.turn) ? `${count} ${count === 1 ? 'bot' : 'bots'}, ${hp[team]} health` : '',
    )
  },
  describe,
}
export default viewer

/** Of the rules: the turns for which a bot was on the board, none if it never landed; a team has that of its best. */
function scoreOf(state: State, header: Header<Init>, team: number): number {
  const turns = state.bots.flatMap((bot, seat) => (teamOf(header, seat) === team && bot ? [bot.diedAt ?? state.turn] : []))
  return Math.max(0, ...turns.map((turn) => turn - 1 - header.init.chute))
}

function describe(state: State, header: Header<Init>): string {
  const bots = perTeam(header, (seat) => (state.bots[seat]?.hp ? 1 : 0))
  const hp = perTeam(header, (seat) => state.bots[seat]?.hp ?? 0)
  const teams = teamsOf(header).map((team, i) => `${teamName(team)}: ${bots[i]} bots with ${hp[i]} hp`)
  const drift = state.drift === null ? '' : ' The picture is not exact.'
  const fresh = state.log.filter(({ turn }) => turn === state.turn).map(({ text }) => ` ${text}.`)
  return `${phase(state, header)}. ${state.alive} live cells. ${teams.join('; ')}.${fresh.join('')}${drift}`
}

// --- Picture ------------------------------------------------------------------------------------------------------

function draw(canvas: Canvas, view: BattleView): void {
  const { bots, built } = moment(view)
  canvas.textAlign = 'center'
  canvas.textBaseline = 'middle'
  canvas.lineJoin = 'round'
  drawBoard(canvas, view)
  drawRedZone(canvas, view)
  drawBuilt(canvas, view, built)
  drawFallen(canvas, view)
  if (!isLanded(view.header, view.turn)) drawAims(canvas, view)
  const near = view.hover && botAt(view, ...view.hover)
  for (const bot of bots) {
    const wanted = bot.seat === near || (view.layers.sight && view.zoom > ZOOM_SIGHT)
    if (wanted && !bot.landing) drawSight(canvas, view, bot)
  }
  for (const bot of bots) drawBot(canvas, view, bot)
  if (view.hover && view.zoom > ZOOM_CELL_TIPS) {
    const [x, y] = view.hover.map(Math.floor) as Point
    canvas.lineWidth = 2 / view.zoom
    canvas.strokeStyle = view.theme.ink
    canvas.strokeRect(x, y, 1, 1)
  }
}

/** The zone, and the cells that its last glider made live. */
function drawRedZone(canvas: Canvas, view: BattleView): void {
  const { theme, zoom, k, calm } = view
  const frame = k > 0 ? view.next : view.frame
  if (!frame?.z) return
  const [cx, cy, age] = frame.z
  const [x, y] = shown(view, cx + 0.5, cy + 0.5)
  const reach = Math.max(SIGHT / 2, 15 / zoom)
  canvas.fillStyle = alpha(theme.bad, theme.dark ? 0.16 : 0.12)
  canvas.fillRect(x - reach, y - reach, 2 * reach, 2 * reach)
  canvas.strokeStyle = theme.bad
  canvas.lineWidth = 2 / zoom
  canvas.strokeRect(x - reach, y - reach, 2 * reach, 2 * reach)
  const ring = calm ? 0 : ((age + k) % 2) / 2
  const wide = reach * (1 + ring * 0.4)
  canvas.strokeStyle = alpha(theme.bad, 1 - ring)
  canvas.lineWidth = 1.5 / zoom
  canvas.strokeRect(x - wide, y - wide, 2 * wide, 2 * wide)
  if (k > 0 && grown(k) === 0) return
  canvas.fillStyle = theme.bad
  for (const [gx, gy] of frame.g ?? []) {
    const [px, py] = shown(view, gx, gy)
    canvas.fillRect(px + 0.15, py + 0.15, 0.7, 0.7)
  }
}

/** Cells that bots have built in this turn, in their team's colour until Life advances. */
function drawBuilt(canvas: Canvas, view: BattleView, built: [Seat, number, number][]): void {
  const { theme, header, k } = view
  for (const [seat, cx, cy] of built) {
    const [x, y] = shown(view, cx, cy)
    canvas.fillStyle = alpha(theme.players[teamOf(header, seat)]!, 1 - grown(k))
    canvas.fillRect(x + 0.1, y + 0.1, 0.8, 0.8)
  }
}

function drawFallen(canvas: Canvas, view: BattleView): void {
  const { a, theme, zoom, header } = view
  const arm = Math.max(0.4, 4 / zoom)
  a.bots.forEach((bot, seat) => {
    if (bot?.diedAt === undefined) return
    const left = 1 - (view.turn - bot.diedAt) / FALLEN_TURNS
    if (left <= 0) return
    const [x, y] = shown(view, bot.x + 0.5, bot.y + 0.5)
    canvas.strokeStyle = alpha(theme.players[teamOf(header, seat)]!, left)
    canvas.lineWidth = 2 / zoom
    canvas.beginPath()
    canvas.moveTo(x - arm, y - arm)
    canvas.lineTo(x + arm, y + arm)
    canvas.moveTo(x + arm, y - arm)
    canvas.lineTo(x - arm, y + arm)
    canvas.stroke()
  })
}

/** Where bots want to land: a hollow shape, and the square in which the wind may put them. */
function drawAims(canvas: Canvas, view: BattleView): void {
  const { a, zoom, theme, header, k, next } = view
  const gone = k > 0 && next?.land ? 1 - k : 1
  a.aims.forEach((aim, seat) => {
    if (!aim) return
    const team = teamOf(header, seat)
    const [x, y] = shown(view, aim[0] + 0.5, aim[1] + 0.5)
    const radius = Math.max(0.6, 6 / zoom)
    canvas.strokeStyle = alpha(theme.players[team]!, gone)
    canvas.lineWidth = 1.2 / zoom
    canvas.setLineDash([3 / zoom, 3 / zoom])
    canvas.strokeRect(x - LANDING / 2, y - LANDING / 2, LANDING, LANDING)
    canvas.setLineDash([])
    playerShape(canvas, team, x, y, radius)
    canvas.fillStyle = alpha(theme.dark ? theme.sink : theme.raise, 0.8 * gone)
    canvas.fill()
    canvas.lineWidth = 2 / zoom
    canvas.stroke()
    if (radius * zoom > 8) {
      canvas.fillStyle = alpha(theme.ink, gone)
      canvas.font = `700 ${radius}px ${theme.mono}`
      canvas.fillText(String(botNumber(header, seat)), x, y + radius * 0.06)
    }
  })
}

function drawSight(canvas: Canvas, { zoom, theme, header }: BattleView, { seat, x, y }: Shown): void {
  canvas.lineWidth = 1.25 / zoom
  canvas.strokeStyle = alpha(theme.players[teamOf(header, seat)]!, 0.6)
  canvas.setLineDash([4 / zoom, 4 / zoom])
  canvas.strokeRect(x - SIGHT / 2, y - SIGHT / 2, SIGHT, SIGHT)
  canvas.setLineDash([])
}

function drawBot(canvas: Canvas, view: BattleView, bot: Shown): void {
  const { zoom, theme, header, k } = view
  const { seat, x, y, dying, landing } = bot
  const team = teamOf(header, seat)
  const colour = theme.players[team]!
  const gone = dying ? grown(k) : 0
  const radius = Math.max(0.56, 5.5 / zoom) * (landing ? 2.5 - 1.5 * ease(k) : 1 + gone)
  canvas.globalAlpha = 1 - gone
  playerShape(canvas, team, x, y, radius + 1.8 / zoom)
  canvas.fillStyle = theme.dark ? theme.sink : theme.raise
  canvas.fill()
  playerShape(canvas, team, x, y, radius)
  canvas.fillStyle = colour
  canvas.fill()
  if (radius * zoom > 6) {
    canvas.font = `700 ${radius * 1.05}px ${theme.mono}`
    canvas.fillStyle = theme.onPlayer
    canvas.fillText(String(botNumber(header, seat)), x, y + radius * (team % 4 === 2 ? 0.25 : 0.07))
  }
  canvas.globalAlpha = 1
  if (dying || landing || zoom <= ZOOM_HP || !view.layers.health) return
  drawHealth(canvas, view, bot, radius, colour)
}

/** Four pips over a bot, and what this turn adds or takes. */
function drawHealth(canvas: Canvas, view: BattleView, bot: Shown, radius: number, colour: string): void {
  const { theme, k, zoom } = view
  const { x, y, hp, change } = bot
  const width = radius * 2.6
  const gap = width / FULL_HP
  const top = y - radius - Math.max(0.5, 7 / zoom)
  const height = Math.max(0.16, 3.5 / zoom)
  canvas.fillStyle = theme.dark ? theme.sink : theme.raise
  canvas.fillRect(x - width / 2 - 1 / zoom, top - 1 / zoom, width + 2 / zoom, height + 2 / zoom)
  for (let pip = 0; pip < FULL_HP; pip++) {
    canvas.fillStyle = pip < hp ? colour : theme.line
    canvas.fillRect(x - width / 2 + pip * gap + gap * 0.08, top, gap * 0.84, height)
  }
  const done = grown(k)
  if (change === 0 || done === 0) return
  const text = change > 0 ? `+${change}` : `−${-change}`
  const size = Math.max(0.7, 13 / zoom)
  canvas.globalAlpha = 1 - done
  canvas.font = `700 ${size}px ${theme.mono}`
  canvas.lineWidth = size / 4
  canvas.strokeStyle = theme.raise
  canvas.fillStyle = change > 0 ? theme.good : theme.bad
  canvas.strokeText(text, x + radius * 2, top - done * size)
  canvas.fillText(text, x + radius * 2, top - done * size)
  canvas.globalAlpha = 1
}

// --- Tooltip ------------------------------------------------------------------------------------------------------

/** The living bot at a point, or null. */
function botAt({ a, zoom, header }: BattleView, x: number, y: number): Seat | null {
  const { size } = header.init
  let best: Seat | null = null
  let nearest = Math.max(0.7, 10 / zoom)
  a.bots.forEach((bot, seat) => {
    if (!bot?.hp) return
    const distance = Math.hypot(shortestOffset(bot.x + 0.5, x, size), shortestOffset(bot.y + 0.5, y, size))
    if (distance < nearest) [nearest, best] = [distance, seat]
  })
  return best
}

function hit(x: number, y: number, view: BattleView): Tip | null {
  const seat = botAt(view, x, y)
  if (seat !== null) return botTip(seat, view)
  const { a, header, zoom } = view
  if (zoom < ZOOM_CELL_TIPS) return null
  const { size } = header.init
  const [cx, cy] = [wrap(Math.floor(x), size), wrap(Math.floor(y), size)]
  const age = ageAt(agesAt(a), size, cx, cy)
  const long = age === OLDEST ? `${OLDEST} turns or more` : age === 0 ? 'this turn' : `${age + 1} turns`
  const alive = isAlive(a.cells, size, cx, cy)
  const rows = [
    { label: alive ? 'Alive for' : 'Dead for', value: long },
    { label: 'Live neighbours', value: String(neighbours(a, size, cx, cy)) },
  ]
  return { title: `Cell ${cx}, ${cy}`, rows, at: [Math.floor(x) + 0.5, Math.floor(y) + 0.5] }
}

function botTip(seat: Seat, view: BattleView): Tip {
  const { a, frame, header } = view
  const bot = a.bots[seat]!
  const actions = frame?.a?.find(([actor]) => actor === seat)?.slice(1) ?? []
  const said = frame?.c?.some(([speaker]) => speaker === seat) ? a.said[seat]?.text : undefined
  const rows: Tip['rows'] = [
    { label: `${bot.x}, ${bot.y}`, value: `${bot.hp} of ${FULL_HP} hp`, player: seat },
    { label: 'Live neighbours', value: String(neighbours(a, header.init.size, bot.x, bot.y)) },
  ]
  if (actions.some(Boolean)) rows.push({ label: 'Did', value: actions.map(actionText).join(' ') })
  if (said) rows.push({ label: 'Said', value: said })
  return {
    title: `${header.players[seat]!.bot}, bot ${botNumber(header, seat)}`,
    rows,
    at: shown(view, bot.x + 0.5, bot.y + 0.5),
  }
}

const actionText = (action: number): string =>
  action === 0 ? '·' : action > 0 ? ARROWS[action]! : `+${ARROWS[-action]}`

const neighbours = ({ cells, bots }: State, size: number, x: number, y: number): number =>
  neighboursAt(cells, living(bots), size, x, y)
