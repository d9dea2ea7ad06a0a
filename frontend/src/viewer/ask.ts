/* What the shell does for a person who plays: the first input, the reply, and arrow keys over the game's places. Pure. */
import type { Ask, Asked, Input } from './game'


/** Nothing is entered yet. */
export const noInput = (ask: Ask, asked: Asked): Input => ({ tool: ask.tools?.(asked)[0]?.id ?? '', picked: [], commands: [] })

/** The reply to send. */
export const replyOf = (ask: Ask, input: Input): string => input.commands.join(';') || (ask.pass ?? '')

/** Whether the input is sent as soon as it has a command. */
export const sendsAtOnce = (ask: Ask): boolean => ask.pass === undefined

const WAYS: Record<string, [dx: number, dy: number]> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}
/** How much more a step to the side counts than one ahead. */
const ASIDE = 2.5
const NEARLY = 1e-6

/** Where an arrow key leads: the nearest place ahead, or where it was. From nowhere: the place nearest to the middle. */
export function nextPlace(places: [number, number][], from: [number, number] | null, key: string): [number, number] | null {
  const way = WAYS[key]
  if (!way) return from
  if (!from) return nearest(places, middleOf(places))
  const [dx, dy] = way
  let best = from
  let least = Infinity
  for (const place of places) {
    const [x, y] = [place[0] - from[0], place[1] - from[1]]
    const ahead = x * dx + y * dy
    const cost = ahead + ASIDE * Math.abs(x * dy - y * dx)
    if (ahead > NEARLY && cost < least) [best, least] = [place, cost]
  }
  return best
}

export const isArrow = (key: string): boolean => key in WAYS

function middleOf(places: [number, number][]): [number, number] {
  const sum = places.reduce<[number, number]>(([sx, sy], [x, y]) => [sx + x, sy + y], [0, 0])
  return [sum[0] / places.length, sum[1] / places.length]
}

function nearest(places: [number, number][], [x, y]: [number, number]): [number, number] | null {
  let best: [number, number] | null = null
  for (const place of places) {
    if (!best || Math.hypot(place[0] - x, place[1] - y) < Math.hypot(best[0] - x, best[1] - y)) best = place
  }
  return best
}
