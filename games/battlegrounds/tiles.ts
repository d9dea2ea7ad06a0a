/*
 * A tile for each bot at the stage's left edge: what it sees, its number and its health, or what it died of. Narrow
 * stages have a strip with health only.
 */
import { alpha, playerShape, teamOf, teamsOf, type Header } from '$viewer/game'
import { boardPicture } from './board'
import { drawCached } from './cache'
import type { BattleView, Canvas } from './moment'
import { botNumber, FULL_HP, isLanded, shortestOffset, wrap, type Bot, type Seat } from './state'

const SIGHT = 25
const ROOM_FOR_SIGHT = 760
const ROOM_FOR_STRIP = 300
/** Free at the top and at the bottom, for what lies there. */
const ABOVE = 54
const BELOW = 46
const GAP = 6
const FOOT = 15
const LARGEST = 78
/** With more bots than this gives room for, there are no tiles. */
const SMALLEST = 30
const ROWS_OF_TEAM = 4

export function drawTiles(canvas: Canvas, view: BattleView): void {
  if (!isLanded(view.header, view.turn)) return
  const { a, theme, width, height, header, layers } = view
  const key = [a, theme, layers.territory, layers.trails]
  if (width >= ROOM_FOR_SIGHT) {
    const places = tilePlaces(header, height)
    const right = Math.max(0, ...places.map(({ x, side }) => x + side))
    const box = { x: 0, y: ABOVE - 4, w: right + 4, h: height - ABOVE - BELOW + 8 }
    const board = boardPicture(canvas, view)
    if (places.length > 0) drawCached(canvas, 'tiles', box, key, (part) => drawSights(part, view, places, board))
  } else if (width >= ROOM_FOR_STRIP) {
    const top = height - stripTop(header)
    const box = { x: 0, y: top, w: width, h: height - top - STRIP_ABOVE + 4 }
    drawCached(canvas, 'strip', box, key, (part) => drawStrip(part, view))
  }
}

interface Tile {
  seat: Seat
  x: number
  y: number
  side: number
}

/** Teams in two columns, one bot below the other. */
export function tilePlaces(header: Header, height: number): Tile[] {
  const teams = teamsOf(header).length
  const rows = Math.ceil(teams / 2) * ROWS_OF_TEAM
  const side = Math.min(LARGEST, Math.floor((height - ABOVE - BELOW) / rows) - FOOT - GAP)
  if (side < SMALLEST) return []
  return header.players.map((_, seat) => {
    const team = teamOf(header, seat)
    const row = Math.floor(team / 2) * ROWS_OF_TEAM + (seat % ROWS_OF_TEAM)
    return { seat, x: 12 + (team % 2) * (side + GAP), y: ABOVE + row * (side + FOOT + GAP), side }
  })
}

function drawSights(canvas: Canvas, view: BattleView, tiles: Tile[], board: OffscreenCanvas): void {
  const { theme, header, a } = view
  for (const { seat, x, y, side } of tiles) {
    const bot = a.bots[seat]
    const colour = theme.players[teamOf(header, seat)]!
    const alive = bot !== null && bot !== undefined && bot.hp > 0
    canvas.fillStyle = alive ? theme.raise : alpha(theme.raise, 0.75)
    canvas.beginPath()
    canvas.roundRect(x - 2, y - 2, side + 4, side + FOOT + 4, 5)
    canvas.fill()
    if (alive) drawSight(canvas, view, bot, x, y, side, board)
    canvas.lineWidth = alive ? 2 : 1
    canvas.strokeStyle = alive ? colour : theme.line
    canvas.beginPath()
    canvas.roundRect(x - 2, y - 2, side + 4, side + FOOT + 4, 5)
    canvas.stroke()
    if (bot && !alive) drawEpitaph(canvas, view, bot, x, y, side)
    drawFoot(canvas, view, seat, x, y + side, side, bot?.hp ?? 0)
  }
}

/** The 25 x 25 cells around a bot, and the bots among them. */
function drawSight(canvas: Canvas, view: BattleView, bot: Bot, x: number, y: number, side: number, board: OffscreenCanvas): void {
  const { theme, header, a } = view
  const { size } = header.init
  const scale = side / SIGHT
  const [left, top] = [wrap(bot.x - 12, size), wrap(bot.y - 12, size)]
  canvas.save()
  canvas.beginPath()
  canvas.rect(x, y, side, side)
  canvas.clip()
  canvas.imageSmoothingEnabled = false
  // Beyond the right and the lower edge the board begins anew.
  for (const dx of left + SIGHT > size ? [0, size] : [0]) {
    for (const dy of top + SIGHT > size ? [0, size] : [0]) {
      canvas.drawImage(board, x + (dx - left) * scale, y + (dy - top) * scale, size * scale, size * scale)
    }
  }
  a.bots.forEach((other, seat) => {
    if (!other?.hp) return
    const dx = shortestOffset(bot.x, other.x, size)
    const dy = shortestOffset(bot.y, other.y, size)
    if (Math.max(Math.abs(dx), Math.abs(dy)) > 12) return
    playerShape(canvas, teamOf(header, seat), x + (dx + 12.5) * scale, y + (dy + 12.5) * scale, Math.max(2.6, scale))
    canvas.fillStyle = theme.players[teamOf(header, seat)]!
    canvas.fill()
    canvas.lineWidth = 0.8
    canvas.strokeStyle = other === bot ? theme.ink : theme.raise
    canvas.stroke()
  })
  canvas.restore()
}

function drawEpitaph(canvas: Canvas, { theme }: BattleView, { cause = '', diedAt = 0 }: Bot, x: number, y: number, side: number): void {
  canvas.textAlign = 'center'
  canvas.fillStyle = theme.soft
  canvas.font = `600 11px ${theme.font}`
  canvas.fillText(cause.startsWith('removed') ? 'fault' : (cause.split(',')[0] ?? ''), x + side / 2, y + side / 2 - 7, side)
  canvas.fillText(`turn ${diedAt}`, x + side / 2, y + side / 2 + 8, side)
}

/** Shape, number and health. */
function drawFoot(canvas: Canvas, { theme, header }: BattleView, seat: Seat, x: number, y: number, width: number, hp: number): void {
  const team = teamOf(header, seat)
  const colour = hp > 0 ? theme.players[team]! : theme.soft
  playerShape(canvas, team, x + 6, y + FOOT / 2 + 1, 4)
  canvas.fillStyle = colour
  canvas.fill()
  canvas.textAlign = 'left'
  canvas.font = `700 11px ${theme.mono}`
  canvas.fillText(String(botNumber(header, seat)), x + 13, y + FOOT / 2 + 2)
  const pip = (width - 24) / FULL_HP
  for (let i = 0; i < FULL_HP; i++) {
    canvas.fillStyle = i < hp ? colour : theme.line
    canvas.fillRect(x + 23 + i * pip, y + FOOT / 2 - 1, pip - 1.5, 5)
  }
}

const STRIP_WIDTH = 42
const STRIP_HEIGHT = 17
const STRIP_ABOVE = 40
/** How far above the stage's foot the strip ends. */
export const stripTop = (header: Header): number => STRIP_ABOVE + Math.ceil(teamsOf(header).length / 2) * (STRIP_HEIGHT + 3)

/** Above the words at the foot of the stage, two teams in a row. */
function drawStrip(canvas: Canvas, view: BattleView): void {
  const { theme, header, a, height } = view
  const teams = teamsOf(header).length
  if (teams > 4) return
  const rows = Math.ceil(teams / 2)
  header.players.forEach((_, seat) => {
    const team = teamOf(header, seat)
    const column = (team % 2) * ROWS_OF_TEAM + (seat % ROWS_OF_TEAM)
    const x = 10 + column * (STRIP_WIDTH + 2) + (team % 2) * 4
    const y = height - STRIP_ABOVE - (rows - Math.floor(team / 2)) * (STRIP_HEIGHT + 3)
    canvas.fillStyle = alpha(theme.raise, 0.88)
    canvas.beginPath()
    canvas.roundRect(x, y, STRIP_WIDTH, STRIP_HEIGHT, 4)
    canvas.fill()
    drawFoot(canvas, view, seat, x + 1, y, STRIP_WIDTH - 3, a.bots[seat]?.hp ?? 0)
  })
}
