/* A bot's rating over time as the geometry of a chart. Pure. */
import type { HistoryPoint } from './types'

export interface Size {
  width: number
  height: number
  /** Room for the axis labels: left, and below. */
  left: number
  below: number
}

/** The stretch of one version: its line, its 95 % band, and where it begins. */
export interface Stretch {
  version: number
  line: string
  band: string
  x: number
  label: string
}

export interface Chart {
  stretches: Stretch[]
  /** Ratings of the horizontal lines, with their places. */
  lines: { rating: number; y: number }[]
  from: number
  to: number
}

const STEPS = [10, 20, 50, 100, 200, 500, 1000]
const MOST_LINES = 5
const LABEL_GAP = 26
/** A band that is wider than this beyond all ratings is cut off, so that a newcomer's interval does not flatten the line. */
const BEYOND = 150

/** Null without points. `now`: until when the last rating holds, if this computer's clock is not behind. */
export function chartOf(points: HistoryPoint[], size: Size, now: number): Chart | null {
  if (!points.length) return null
  const from = Date.parse(points[0]!.at)
  const to = Math.max(now, from + 1, Date.parse(points.at(-1)!.at))
  const ratings = points.map((one) => one.rating)
  const low = Math.max(Math.min(...points.map((one) => one.low)), Math.min(...ratings) - BEYOND)
  const high = Math.min(Math.max(...points.map((one) => one.high)), Math.max(...ratings) + BEYOND)
  const x = (time: number): number => size.left + ((time - from) / (to - from)) * (size.width - size.left)
  const y = (rating: number): number =>
    (1 - (Math.max(low, Math.min(high, rating)) - low) / Math.max(1, high - low)) * (size.height - size.below)
  const stretches = versionsOf(points).map((part, index, all) => stretchOf(part, index + 1 < all.length ? Date.parse(all[index + 1]![0]!.at) : to, x, y))
  let labelled = -Infinity
  for (const one of stretches) {
    // Labels of versions that came close together would overlap.
    if (one.x - labelled < LABEL_GAP) one.label = ''
    else labelled = one.x
  }
  return { stretches, lines: gridOf(low, high).map((rating) => ({ rating, y: y(rating) })), from, to }
}

/** The points cut where the version changes. */
export function versionsOf(points: HistoryPoint[]): HistoryPoint[][] {
  const parts: HistoryPoint[][] = []
  for (const point of points) {
    const last = parts.at(-1)
    if (last && last[0]!.version === point.version) last.push(point)
    else parts.push([point])
  }
  return parts
}

/** A rating holds until the next one: the line goes in steps. */
function stretchOf(part: HistoryPoint[], until: number, x: (time: number) => number, y: (rating: number) => number): Stretch {
  const steps = (value: (point: HistoryPoint) => number): string[] =>
    part.flatMap((point, index) => {
      const end = index + 1 < part.length ? Date.parse(part[index + 1]!.at) : until
      const height = y(value(point)).toFixed(1)
      return [`${x(Date.parse(point.at)).toFixed(1)},${height}`, `${x(end).toFixed(1)},${height}`]
    })
  const version = part[0]!.version
  const band = [...steps((one) => one.high), ...steps((one) => one.low).reverse()].join(' ')
  return { version, line: steps((one) => one.rating).join(' '), band, x: x(Date.parse(part[0]!.at)), label: `v${version}` }
}

/** Round ratings between two. */
export function gridOf(low: number, high: number): number[] {
  const step = STEPS.find((one) => (high - low) / one <= MOST_LINES) ?? STEPS.at(-1)!
  const first = Math.ceil(low / step) * step
  return Array.from({ length: Math.max(0, Math.floor((high - first) / step) + 1) }, (_, index) => first + index * step)
}
