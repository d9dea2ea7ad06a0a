/* Where something happens: the places that are worth a look, and the one that the view follows. */
import { teamOf, type Box, type Header } from '$viewer/game'
import { isLanded, shortestOffset, wrap, type Bot, type Init, type Point, type Seat, type State } from './state'

/** Bots as near as this, in cells, are in one place; the view that follows wants them nearer. */
const NEAR = 40
const VERY_NEAR = 20
const ROOM_AROUND = 14

/** Bots that are near each other. */
interface Group {
  box: Box
  seats: Seat[]
  teams: number
}

/** The groups of living bots, those with the most teams, then the most bots, first. */
function groups({ bots }: State, header: Header<Init>, near: number): Group[] {
  const { size } = header.init
  const places: Group[] = []
  const left = new Set(bots.flatMap((bot, seat) => (bot?.hp ? [seat] : [])))
  for (const first of left) {
    left.delete(first)
    const box = { x: bots[first]!.x, y: bots[first]!.y, w: 0, h: 0 }
    const seats = [first]
    // Grows while a bot is near; what has been taken in may have others near it.
    for (let found: Seat | undefined = first; found !== undefined; ) {
      found = [...left].find((seat) => seats.some((other) => distance(bots[seat]!, bots[other]!, size) <= near))
      if (found === undefined) continue
      left.delete(found)
      seats.push(found)
      include(box, bots[found]!, size)
    }
    const teams = new Set(seats.map((seat) => teamOf(header, seat))).size
    places.push({ box: widened(box, ROOM_AROUND), seats, teams })
  }
  return places.sort((a, b) => b.teams - a.teams || b.seats.length - a.seats.length)
}

/** The places where bots are, the best to look at first. */
export const spots = (state: State, header: Header<Init>): Box[] => groups(state, header, NEAR).map(({ box }) => box)

// --- The place that the view follows ------------------------------------------------------------------------------

/** The side of what is shown, in cells. */
const CLOSEST = 34
const WIDEST = 100

/**
 * Where most teams meet. It stays with the bots that are in view while no other place has more teams. Null before the
 * bots have landed: there is no action yet.
 */
export function focus(state: State, header: Header<Init>, near: Point | null): Box | null {
  if (!isLanded(header, state.turn)) return null
  const { size } = header.init
  const found = groups(state, header, VERY_NEAR)
  const best = found[0]
  if (!best) return null
  const here = near && found.find(({ box }) => covers(box, near, size))
  const { box, seats } = here && here.teams >= best.teams ? here : best
  const side = Math.min(size, Math.max(CLOSEST, Math.min(WIDEST, Math.max(box.w, box.h))))
  const spread = Math.max(box.w, box.h) > WIDEST
  const [x, y] = spread ? closestMeeting(state, seats, header) : [box.x + box.w / 2, box.y + box.h / 2]
  const [cx, cy] = near ? [copyNear(near[0], x, size), copyNear(near[1], y, size)] : [wrap(x, size), wrap(y, size)]
  return { x: cx - side / 2, y: cy - side / 2, w: side, h: side }
}

function covers({ x, y, w, h }: Box, [px, py]: Point, size: number): boolean {
  const across = Math.abs(shortestOffset(x + w / 2, px, size))
  const down = Math.abs(shortestOffset(y + h / 2, py, size))
  return across <= w / 2 && down <= h / 2
}

/** The copy of a coordinate that is nearest to another one. */
const copyNear = (near: number, value: number, size: number): number => near + shortestOffset(near, value, size)

/** Between the two opponents that are nearest to each other; without opponents, where the first bot is. */
function closestMeeting({ bots }: State, seats: Seat[], header: Header<Init>): Point {
  const { size } = header.init
  let best: Point = [bots[seats[0]!]!.x, bots[seats[0]!]!.y]
  let least = Infinity
  for (const one of seats) {
    for (const other of seats) {
      if (teamOf(header, one) >= teamOf(header, other)) continue
      const [a, b] = [bots[one]!, bots[other]!]
      const away = distance(a, b, size)
      if (away >= least) continue
      least = away
      best = [a.x + shortestOffset(a.x, b.x, size) / 2, a.y + shortestOffset(a.y, b.y, size) / 2]
    }
  }
  return best
}

// --- Boxes on the torus -------------------------------------------------------------------------------------------

const distance = (a: Bot, b: Bot, size: number): number =>
  Math.max(Math.abs(shortestOffset(a.x, b.x, size)), Math.abs(shortestOffset(a.y, b.y, size)))

/** Grows a box to the nearest copy of a bot's cell. */
function include(box: Box, bot: Bot, size: number): void {
  const dx = shortestOffset(box.x + box.w / 2, bot.x, size) + box.w / 2
  const dy = shortestOffset(box.y + box.h / 2, bot.y, size) + box.h / 2
  box.w = Math.max(box.w, dx) - Math.min(0, dx)
  box.h = Math.max(box.h, dy) - Math.min(0, dy)
  box.x += Math.min(0, dx)
  box.y += Math.min(0, dy)
}

const widened = ({ x, y, w, h }: Box, by: number): Box => ({ x: x - by, y: y - by, w: w + 1 + 2 * by, h: h + 1 + 2 * by })

