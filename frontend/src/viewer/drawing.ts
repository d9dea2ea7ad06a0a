/* Small helpers for drawing: colours, easing, and the shape of each player, for those who cannot see the colours. */

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

/** Makes the path of a seat's shape (disc, diamond, triangle, square) with about the same area for each. */
export function playerShape(canvas: CanvasRenderingContext2D, seat: number, x: number, y: number, radius: number): void {
  canvas.beginPath()
  if (seat % 4 === 0) {
    canvas.arc(x, y, radius, 0, FULL_TURN)
  } else if (seat % 4 === 1) {
    const reach = radius * 1.22
    canvas.moveTo(x, y - reach)
    canvas.lineTo(x + reach, y)
    canvas.lineTo(x, y + reach)
    canvas.lineTo(x - reach, y)
  } else if (seat % 4 === 2) {
    canvas.moveTo(x, y - radius * 1.25)
    canvas.lineTo(x + radius * 1.15, y + radius * 0.8)
    canvas.lineTo(x - radius * 1.15, y + radius * 0.8)
  } else {
    canvas.rect(x - radius * 0.9, y - radius * 0.9, radius * 1.8, radius * 1.8)
  }
  canvas.closePath()
}
