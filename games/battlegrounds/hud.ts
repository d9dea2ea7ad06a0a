/* What is written over the board, in CSS pixels: which turn it is, a map, and the bots' messages. */
import { alpha, playerShape, teamOf, type Box, type Header, type Theme } from '$viewer/game'
import { boardPicture } from './board'
import { drawCached } from './cache'
import { shown, type BattleView, type Canvas } from './moment'
import { drawTiles, stripTop } from './tiles'
import { generationsAt, wrap, type Bot, type Init, type Point, type State } from './state'

/** For how many turns a message can be seen. */
const SAID_TURNS = 14
const MAP_SIZE = 168

/** Which part of the match this is. */
export function phase({ turn }: State, header: Header<Init>): string {
  const { chute, start } = header.init
  if (turn === 0) return 'Before the match'
  if (turn === 1) return 'Start-up'
  if (turn <= 1 + chute) return `Parachuting, call ${turn - 1} of ${chute}`
  if (turn <= 1 + chute + start) return `Starting phase, turn ${turn - 1 - chute} of ${start}`
  return `Generation ${generationsAt(header, turn)}`
}

export function hud(canvas: Canvas, view: BattleView): void {
  canvas.textBaseline = 'middle'
  drawPhase(canvas, view)
  if (view.layers.tiles) drawTiles(canvas, view)
  if (view.layers.events) drawEvents(canvas, view)
  if (view.layers.map) drawMap(canvas, view)
  if (view.layers.chat && view.width >= ROOM_FOR_WORDS) drawMessages(canvas, view)
}

/** Narrower stages, such as the cards of games, have no space for text. */
const ROOM_FOR_WORDS = 260

/** Of the words, and of the bots' strip where that is above them. Beside a small board on a wide stage there is room. */
export function foot({ width, height }: { width: number; height: number }, header: Header): number {
  if (width < ROOM_FOR_WORDS) return 0
  if (width < ROOM_FOR_EVENTS) return stripTop(header)
  return width - height < 2 * WORDS_WIDTH ? WORDS_TOP + 4 : 0
}

const WORDS_WIDTH = 260
const WORDS_TOP = 34

/** Where the match is, and a warning if this picture is not what was played. */
function drawPhase(canvas: Canvas, view: BattleView): void {
  const { theme, a, header, width, height } = view
  if (width < ROOM_FOR_WORDS) return
  const chips: [text: string, colour: string][] = [
    [`${phase(a, header)} · ${a.alive.toLocaleString('en')} live cells`, theme.ink],
  ]
  if (a.drift !== null) chips.push([`Not exact since turn ${a.drift}: live cells differ from the match`, theme.bad])
  canvas.textAlign = 'left'
  canvas.font = `600 12px ${theme.font}`
  chips.forEach(([text, colour], i) => {
    const top = height - WORDS_TOP - i * 28
    canvas.beginPath()
    canvas.roundRect(12, top, canvas.measureText(text).width + 16, 24, 6)
    canvas.fillStyle = alpha(theme.raise, 0.92)
    canvas.fill()
    canvas.lineWidth = 1
    canvas.strokeStyle = colour === theme.bad ? theme.bad : theme.line
    canvas.stroke()
    canvas.fillStyle = colour
    canvas.fillText(text, 20, top + 13)
  })
}

/** For how many turns what happened can be read. */
const EVENT_TURNS = 60
const EVENT_HEIGHT = 21
const EVENT_WIDTH = 400
/** Where the stage's buttons end. */
const BELOW_BUTTONS = 240
/** Stages narrower than this show the newest only. */
const ROOM_FOR_EVENTS = 760

/** What happened lately, the newest at the bottom, above the map. */
function drawEvents(canvas: Canvas, view: BattleView): void {
  const { theme, a, header, width, height, turn } = view
  if (width < ROOM_FOR_WORDS || a.log.length === 0) return
  const narrow = width < ROOM_FOR_EVENTS
  const box = narrow
    ? { x: 0, y: height - stripTop(header) - EVENT_HEIGHT - 8, w: width, h: EVENT_HEIGHT + 8 }
    : { x: width - EVENT_WIDTH - 24, y: BELOW_BUTTONS, w: EVENT_WIDTH + 24, h: height - BELOW_BUTTONS - mapSide(view) - 12 }
  drawCached(canvas, 'events', box, [a.log, turn, theme], (part) => drawList(part, view, narrow))
}

function drawList(canvas: Canvas, { theme, a, header, width, height, turn }: BattleView, narrow: boolean): void {
  const foot = height - 12 - (narrow ? 0 : mapSide({ width }) + 14)
  const room = narrow ? 1 : Math.min(7, Math.floor((foot - BELOW_BUTTONS) / (EVENT_HEIGHT + 3)))
  if (room < 1) return
  const shown = a.log.filter((event) => turn - event.turn < EVENT_TURNS).slice(-room)
  canvas.font = `550 12px ${theme.font}`
  canvas.textAlign = 'left'
  shown.forEach(({ text, turn: at, seat }, i) => {
    const line = narrow ? text : `${at}  ${text}`
    const w = Math.min(canvas.measureText(line).width + 26, narrow ? width - 24 : EVENT_WIDTH)
    const [x, y] = narrow ? [12, height - stripTop(header) - EVENT_HEIGHT - 4] : [width - 12 - w, foot - (shown.length - i) * (EVENT_HEIGHT + 3)]
    const opacity = Math.max(0.35, 1 - (turn - at) / EVENT_TURNS)
    canvas.globalAlpha = opacity
    canvas.beginPath()
    canvas.roundRect(x, y, w, EVENT_HEIGHT, 5)
    canvas.fillStyle = alpha(theme.raise, 0.94)
    canvas.fill()
    if (seat !== undefined) {
      playerShape(canvas, teamOf(header, seat), x + 11, y + EVENT_HEIGHT / 2, 4.5)
      canvas.fillStyle = theme.players[teamOf(header, seat)]!
      canvas.fill()
    }
    canvas.fillStyle = text.includes(' dies') ? theme.bad : theme.ink
    canvas.fillText(line, x + 21, y + EVENT_HEIGHT / 2 + 1, w - 26)
    canvas.globalAlpha = 1
  })
}

const mapSide = ({ width }: Pick<BattleView, 'width'>): number => Math.min(MAP_SIZE, width * 0.26)

/** Where in the world this is, once not all of it can be seen. */
function drawMap(canvas: Canvas, view: BattleView): void {
  const { box, theme, header, width, height, zoom } = view
  const { size } = header.init
  if (width < ROOM_FOR_WORDS || (box.w >= size && box.h >= size) || zoom * size < 1.6 * Math.min(width, height)) return
  const side = mapSide(view)
  const scale = side / size
  // Narrow stages have words along their foot.
  const [x, y] = [width - side - 12, width < ROOM_FOR_EVENTS ? 60 : height - side - 12]
  canvas.save()
  canvas.beginPath()
  canvas.roundRect(x - 4, y - 4, side + 8, side + 8, 6)
  canvas.fillStyle = theme.raise
  canvas.fill()
  canvas.lineWidth = 1
  canvas.strokeStyle = theme.line
  canvas.stroke()
  const board = boardPicture(canvas, view)
  drawCached(canvas, 'map', { x, y, w: side, h: side }, [view.a, theme, view.layers.territory, view.layers.trails], (part) =>
    part.drawImage(board, x, y, side, side),
  )
  view.a.bots.forEach((bot, seat) => {
    if (!bot?.hp) return
    playerShape(canvas, teamOf(header, seat), x + bot.x * scale, y + bot.y * scale, 3)
    canvas.fillStyle = theme.players[teamOf(header, seat)]!
    canvas.fill()
  })
  canvas.beginPath()
  canvas.rect(x, y, side, side)
  canvas.clip()
  canvas.lineWidth = 2
  canvas.strokeStyle = theme.ink
  const [left, top] = [wrap(box.x, size), wrap(box.y, size)]
  for (const dx of [-size, 0]) {
    for (const dy of [-size, 0]) {
      canvas.strokeRect(x + (left + dx) * scale, y + (top + dy) * scale, box.w * scale, box.h * scale)
    }
  }
  canvas.restore()
}

/** Messages stay with their bots for some turns; where there is no room for all, the newest are shown. */
function drawMessages(canvas: Canvas, view: BattleView): void {
  const { theme, a, header, turn } = view
  const said = a.said
    .flatMap((message, seat) => (message && turn - message.turn < SAID_TURNS ? [{ ...message, seat }] : []))
    .sort((one, other) => other.turn - one.turn)
  const bots = a.bots.map((bot) => (bot?.hp ? onStage(view, bot) : null))
  const taken = bots.flatMap((at) => (at ? [{ x: at[0] - 6, y: at[1] - 6, w: 12, h: 12 }] : []))
  canvas.font = `600 12px ${theme.font}`
  canvas.textAlign = 'left'
  for (const { seat, text, turn: at } of said) {
    const bot = bots[seat]
    if (!bot || bot[0] < 0 || bot[1] < 0 || bot[0] > view.width || bot[1] > view.height) continue
    const place = roomAt(view, bot, canvas.measureText(text).width + 14, taken)
    if (!place) continue
    taken.push(place)
    drawBubble(canvas, theme, place, text, teamOf(header, seat), Math.min(1, (SAID_TURNS - (turn - at)) / 5))
  }
  canvas.globalAlpha = 1
}

/** The middle of a bot, in CSS pixels. */
function onStage(view: BattleView, bot: Bot): Point {
  const [x, y] = shown(view, bot.x + 0.5, bot.y + 0.5)
  return [(x - view.box.x) * view.zoom, (y - view.box.y) * view.zoom]
}

/** Where a bubble covers nothing: over its bot, below it or beside it. */
function roomAt({ width, height, zoom }: BattleView, [x, y]: Point, w: number, taken: Box[]): Box | null {
  const h = 22
  const away = Math.max(12, zoom)
  const places: Point[] = [
    [x - w / 2, y - away - h - 10],
    [x - w / 2, y + away + 2],
    [x + away, y - h / 2],
    [x - away - w, y - h / 2],
  ]
  const found = places.find(
    ([left, top]) =>
      left >= 4 && top >= 4 && left + w <= width - 4 && top + h <= height - 4 && !taken.some(covers(left, top, w, h)),
  )
  return found ? { x: found[0], y: found[1], w, h } : null
}

const covers =
  (x: number, y: number, w: number, h: number) =>
  (other: Box): boolean =>
    x < other.x + other.w + 2 && other.x < x + w + 2 && y < other.y + other.h + 2 && other.y < y + h + 2

function drawBubble(canvas: Canvas, theme: Theme, box: Box, text: string, team: number, opacity: number): void {
  canvas.globalAlpha = opacity
  canvas.beginPath()
  canvas.roundRect(box.x, box.y, box.w, box.h, 6)
  canvas.fillStyle = theme.raise
  canvas.fill()
  canvas.lineWidth = 2
  canvas.strokeStyle = theme.players[team]!
  canvas.stroke()
  canvas.fillStyle = theme.ink
  canvas.fillText(text, box.x + 7, box.y + box.h / 2 + 1)
}
