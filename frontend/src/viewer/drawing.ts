/*
 * What pictures share: the colours of the design, easing, the shape of each player, for those who cannot see the colours,
 * and a sentence over the board.
 */
/**
 * The design's colours, resolved for a canvas. `players[team]` is a team's colour, of which there are eight, then the same
 * again up to sixteen; `onPlayer` is for text on top of one.
 */
export interface Theme {
  dark: boolean
  paper: string
  raise: string
  sink: string
  line: string
  ink: string
  soft: string
  good: string
  bad: string
  gem: string
  egg: string
  players: string[]
  onPlayer: string
  font: string
  mono: string
}

const FULL_TURN = 2 * Math.PI

/** Eases in and out, from 0 to 1. */
export const ease = (k: number): number => (k < 0.5 ? 2 * k * k : 1 - (2 - 2 * k) ** 2 / 2)

/** Interpolates colours: `mix(a, b, 0)` is a, `mix(a, b, 1)` is b. Takes "#rrggbb" and "rgb(…)". */
export function mix(a: string, b: string, k: number): string {
  const from = rgb(a)
  const to = rgb(b)
  return `rgb(${from.map((value, i) => Math.round(value + (to[i]! - value) * k)).join(' ')})`
}

/** A colour with an opacity. */
export const alpha = (colour: string, opacity: number): string => `rgb(${rgb(colour).join(' ')} / ${opacity})`

/** Red, green and blue, 0 to 255. */
export function rgb(colour: string): number[] {
  if (colour.startsWith('#')) return [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16))
  return (colour.match(/[\d.]+/g) ?? ['0', '0', '0']).slice(0, 3).map(Number)
}

/** The corners of shapes, for a radius of 1; the first shape is a disc. They have about the same area. */
const CORNERS: readonly (readonly (readonly [x: number, y: number])[])[] = [
  [],
  [[0, -1.22], [1.22, 0], [0, 1.22], [-1.22, 0]],
  [[0, -1.25], [1.15, 0.8], [-1.15, 0.8]],
  [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
  [[0, 1.25], [-1.15, -0.8], [1.15, -0.8]],
  regular(6, 1.1),
  cross(1.15, 0.4),
  regular(5, 1.15),
]

/** A regular polygon; one with an odd number of corners stands on a side. */
function regular(corners: number, radius: number): [number, number][] {
  return Array.from({ length: corners }, (_, i) => {
    const angle = (FULL_TURN * i) / corners - (corners % 2 ? FULL_TURN / 4 : 0)
    return [radius * Math.cos(angle), radius * Math.sin(angle)]
  })
}

function cross(long: number, short: number): [number, number][] {
  const arm: [number, number][] = [[-short, -long], [short, -long], [short, -short]]
  const turned = ([x, y]: [number, number]): [number, number] => [-y, x]
  const right = arm.map(turned)
  const down = right.map(turned)
  return [...arm, ...right, ...down, ...down.map(turned)]
}

/** Makes the path of a player's shape, which the pages show beside the name, too. */
export function playerShape(canvas: CanvasRenderingContext2D, seat: number, x: number, y: number, radius: number): void {
  canvas.beginPath()
  const corners = CORNERS[seat % CORNERS.length]!
  if (corners.length === 0) canvas.arc(x, y, radius, 0, FULL_TURN)
  corners.forEach(([dx, dy], i) => {
    if (i === 0) canvas.moveTo(x + dx * radius, y + dy * radius)
    else canvas.lineTo(x + dx * radius, y + dy * radius)
  })
  canvas.closePath()
}

/** Narrower stages, such as the cards of games, have no space for text; below the second width it is smaller. */
const ROOM_FOR_TEXT = 360
const ROOM_FOR_LARGE = 620

/** For a game's `foot`, if its `hud` draws a caption. */
export const captionRoom = ({ width }: { width: number }): number => (width < ROOM_FOR_TEXT ? 0 : captionTop(width) + 4)

const captionTop = (width: number): number => (width < ROOM_FOR_LARGE ? 34 : 42)

/**
 * One sentence about a seat, in CSS pixels, for a game's `hud`. At the bottom, since what the page shows about the
 * turn and the ending covers the top.
 */
export function drawCaption(
  canvas: CanvasRenderingContext2D,
  { theme, width, height }: { theme: Theme; width: number; height: number },
  { seat, text }: { seat: number; text: string },
): void {
  if (width < ROOM_FOR_TEXT) return
  canvas.font = `600 ${width < ROOM_FOR_LARGE ? 12 : 14}px ${theme.font}`
  drawLabel(canvas, theme, { seat, text, x: 12, y: height - captionTop(width), width: labelWidth(canvas, text, width), height: 30 })
}

/** Of a label with this text in the canvas's font, on a stage of this width. */
export function labelWidth(canvas: CanvasRenderingContext2D, text: string, stage: number): number {
  return Math.min(stage - 24, canvas.measureText(text).width + 40)
}

/** A seat's shape and a text, framed in its colour, at the left upper corner `x`, `y`. */
export function drawLabel(
  canvas: CanvasRenderingContext2D,
  theme: Theme,
  { seat, text, x, y, width, height }: { seat: number; text: string; x: number; y: number; width: number; height: number },
): void {
  canvas.textAlign = 'left'
  canvas.textBaseline = 'middle'
  canvas.beginPath()
  canvas.roundRect(x, y, width, height, 6)
  canvas.fillStyle = theme.raise
  canvas.fill()
  canvas.lineWidth = 1.5
  canvas.strokeStyle = theme.players[seat]!
  canvas.stroke()
  playerShape(canvas, seat, x + 16, y + height / 2, height / 5)
  canvas.fillStyle = theme.players[seat]!
  canvas.fill()
  canvas.fillStyle = theme.ink
  canvas.fillText(text, x + 29, y + height / 2 + 1, width - 37)
}
