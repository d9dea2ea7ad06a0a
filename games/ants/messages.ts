/* What the bots say: a bubble over each seat's first base, in CSS pixels so that it can always be read. */
import { centre, RADIUS, type Point } from './places'
import type { AntsView, Canvas } from './picture'
import type { Seat } from './state'

const LONGEST = 45

export function drawMessages(canvas: Canvas, view: AntsView): void {
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
    drawBubble(canvas, view, seat, at, text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
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
