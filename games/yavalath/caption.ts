/* One sentence about the position: over the board, and for screen readers. */
import { playerShape, type Header } from '$viewer/game'
import type { Canvas, YavalathView } from './places'
import { verdict, type Point, type Seat, type State } from './state'
import { threatsOf } from './threats'

export interface Caption {
  seat: Seat
  text: string
}

/** What a viewer should know now, or null. Coordinates are as bots write them. */
export function caption(state: State, { players }: Header): Caption | null {
  const name = (seat: Seat): string => players[seat]?.bot ?? 'A bot'
  const { bad, line, last } = state
  if (bad) return { seat: bad.seat, text: `${name(bad.seat)} made no move: ${bad.why}` }
  if (line) return { seat: line.seat, text: `${name(line.seat)}: ${verdict(line.places)}` }
  if (last?.stolen) return { seat: last.seat, text: `${name(last.seat)} steals the first stone` }
  const { wins, losses, mover, forced } = threatsOf(state)
  if (wins[mover]!.length > 0) return { seat: mover, text: `${name(mover)} can win at ${listed(wins[mover]!)}` }
  if (forced.length > 1) return { seat: mover, text: `${name(mover)} cannot stop both ${listed(forced)}` }
  if (forced.length === 0) return null
  const threes = losses[mover]!.some(([x, y]) => x === forced[0]![0] && y === forced[0]![1])
  return { seat: mover, text: `${name(mover)} must play ${listed(forced)}${threes ? ', and makes a three' : ''}` }
}

const listed = (places: Point[]): string => places.map(([x, y]) => `${x} ${y}`).join(' and ')

/** Narrower stages, such as the cards of games, have no space for text; below the second width it is smaller. */
const ROOM_FOR_TEXT = 360
const ROOM_FOR_LARGE = 620

/** At the bottom: what the page says of the turn and the ending lies over the top. */
export function drawCaption(canvas: Canvas, view: YavalathView): void {
  const { theme, width, height, header, a } = view
  const found = width < ROOM_FOR_TEXT ? null : caption(a, header)
  if (!found) return
  const narrow = width < ROOM_FOR_LARGE
  canvas.font = `600 ${narrow ? 12 : 14}px ${theme.font}`
  canvas.textAlign = 'left'
  canvas.textBaseline = 'middle'
  const w = Math.min(width - 24, canvas.measureText(found.text).width + 40)
  const [left, top] = [12, height - (narrow ? 34 : 42)]
  canvas.beginPath()
  canvas.roundRect(left, top, w, 30, 6)
  canvas.fillStyle = theme.raise
  canvas.fill()
  canvas.lineWidth = 1.5
  canvas.strokeStyle = theme.players[found.seat]!
  canvas.stroke()
  playerShape(canvas, found.seat, left + 16, top + 15, 6)
  canvas.fillStyle = theme.players[found.seat]!
  canvas.fill()
  canvas.fillStyle = theme.ink
  canvas.fillText(found.text, left + 29, top + 16, w - 36)
}
