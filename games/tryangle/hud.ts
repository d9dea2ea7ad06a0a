/* Over the board, in CSS pixels so that it can always be read: what the bots say, and what the signs at the pointer mean. */
import { drawLabel, labelWidth, playerShape } from '$viewer/game'
import { houseAt, triangleAt, type Canvas, type TryView } from './picture'
import { SEATS, type Seat } from './state'

const LONGEST = 50
/** Narrower stages, such as the cards of games, have no space for text. */
const ROOM_FOR_TEXT = 260

export function hud(canvas: Canvas, view: TryView): void {
  if (view.width < ROOM_FOR_TEXT) return
  canvas.textBaseline = 'middle'
  canvas.textAlign = 'left'
  if (view.layers.messages) drawMessages(canvas, view)
  drawLegend(canvas, view)
}

/** Room for one message each. */
export const foot = ({ width }: { width: number }): number => (width < ROOM_FOR_TEXT ? 0 : MESSAGE_TOP + 4)

const MESSAGE_TOP = 38

/** Each seat's on its own side of the foot of the board. */
function drawMessages(canvas: Canvas, view: TryView): void {
  const { theme, width, height } = view
  const messages = (view.k > 0 ? view.next : view.frame)?.msg ?? []
  canvas.font = `600 13px ${theme.font}`
  messages.forEach((message, seat) => {
    if (!message) return
    const text = message.length > LONGEST ? `${message.slice(0, LONGEST)}…` : message
    const w = labelWidth(canvas, text, width)
    const both = messages.every(Boolean) && width < 2 * w
    const x = seat === 0 ? 12 : width - w - 12
    drawLabel(canvas, theme, { seat, text, x, y: height - MESSAGE_TOP - (both && seat === 0 ? 32 : 0), width: w, height: 26 })
  })
}

// --- Legend -------------------------------------------------------------------------------------------------------

interface Entry {
  text: string
  /** Whose shape, filled for an owner and hollow for who may capture; null is the dash. */
  seat: Seat | null
  hollow: boolean
}
const ROW = 22

/** Only while signs are shown because of the pointer, or of the layer. */
function drawLegend(canvas: Canvas, view: TryView): void {
  const pointed = view.hover && (houseAt(view, ...view.hover) !== null || triangleAt(view, ...view.hover) !== null)
  if (!pointed && !view.layers.may) return
  const { theme, width, height } = view
  const entries = entriesOf(view)
  canvas.font = `500 12px ${theme.font}`
  const widths = entries.map(({ text }) => canvas.measureText(text).width + 34)
  const whole = widths.reduce((sum, one) => sum + one, 0)
  const wide = whole + 8 < width - 24
  const w = wide ? whole + 8 : Math.min(width - 24, Math.max(...widths) + 8)
  const h = wide ? ROW + 4 : ROW * entries.length + 4
  const said = view.layers.messages && ((view.k > 0 ? view.next : view.frame)?.msg ?? []).some(Boolean)
  const [left, top] = [12, height - h - (said ? 44 : 10)]
  canvas.beginPath()
  canvas.roundRect(left, top, w, h, 6)
  canvas.fillStyle = theme.raise
  canvas.fill()
  canvas.lineWidth = 1
  canvas.strokeStyle = theme.line
  canvas.stroke()
  let x = left + 8
  let y = top + ROW / 2 + 2
  entries.forEach((entry, i) => {
    drawEntry(canvas, view, entry, x, y)
    if (wide) x += widths[i]!
    else y += ROW
  })
}

function entriesOf({ header: { players } }: TryView): Entry[] {
  return [
    ...SEATS.map((seat): Entry => ({ text: `${players[seat]!.bot} owns it: a point a turn`, seat, hollow: false })),
    ...SEATS.map((seat): Entry => ({ text: `${players[seat]!.bot} may capture it`, seat, hollow: true })),
    { text: 'nobody may', seat: null, hollow: true },
  ]
}

function drawEntry(canvas: Canvas, { theme }: TryView, { text, seat, hollow }: Entry, x: number, y: number): void {
  canvas.lineWidth = 2
  if (seat === null) {
    canvas.beginPath()
    canvas.moveTo(x + 3, y)
    canvas.lineTo(x + 13, y)
    canvas.strokeStyle = theme.soft
    canvas.stroke()
  } else {
    playerShape(canvas, seat, x + 8, y, 5)
    canvas.strokeStyle = canvas.fillStyle = theme.players[seat]!
    if (hollow) canvas.stroke()
    else canvas.fill()
  }
  canvas.fillStyle = theme.ink
  canvas.fillText(text, x + 20, y + 1)
}
