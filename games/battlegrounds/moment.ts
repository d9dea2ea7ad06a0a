/*
 * Where things are in the picture: on the torus, and on the way from one state to the next. The world has no edge, so
 * the square of one board around the middle of the view is what is drawn in full.
 */
import { ease, type View } from '$viewer/game'
import { act, DX, DY, shortestOffset, wrap, type BattleFrame, type Bot, type Init, type Point, type Seat, type State } from './state'

export type Canvas = CanvasRenderingContext2D
export type BattleView = View<Init, BattleFrame, State>

/** The part of a turn in which the bots act; then Life advances. */
const ACTED = 0.55

// --- Places on the torus ------------------------------------------------------------------------------------------

/** Where the square of one board begins that has the view's middle in its middle. */
export function windowStart({ box, header }: BattleView): Point {
  const { size } = header.init
  return [box.x + box.w / 2 - size / 2, box.y + box.h / 2 - size / 2]
}

/** The copy of a place that lies in that square. */
export function shown(view: BattleView, x: number, y: number): Point {
  const { size } = view.header.init
  const [x0, y0] = windowStart(view)
  return [x0 + wrap(x - x0, size), y0 + wrap(y - y0, size)]
}

/** Where copies of the board begin along an axis, of all that can be seen. */
export function tiles(from: number, length: number, size: number): number[] {
  const first = Math.floor(from / size)
  const last = Math.floor((from + length) / size)
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * size)
}

// --- Where each bot is now ----------------------------------------------------------------------------------------

/** A bot in the picture: the middle of its cell. `change`: the hp that it gets, or loses, in this turn. */
export interface Shown {
  seat: Seat
  x: number
  y: number
  hp: number
  change: number
  dying: boolean
  landing: boolean
}

/** How far Life is in this turn, 0 to 1. */
export const grown = (k: number): number => Math.max(0, (k - ACTED) / (1 - ACTED))

/** The bots' places on the way from state to state, and the cells that they have built so far. */
export function moment(view: BattleView): { bots: Shown[]; built: [seat: Seat, x: number, y: number][] } {
  const { a, b, k, next, header } = view
  const { size } = header.init
  const built: [Seat, number, number][] = []
  const paths = new Map<Seat, Point[]>()
  if (k > 0 && next) {
    const walking = a.bots.map((bot) => bot && { ...bot })
    const rounds = Math.min(3, (k / ACTED) * 3)
    act(walking, next, size, (seat, action, x, y, round) => {
      if (action < 0 && round < rounds) built.push([seat, x, y])
      if (action > 0) paths.set(seat, [...(paths.get(seat) ?? []), [round, action]])
    })
  }
  const bots = a.bots.flatMap((bot, seat) => {
    const after = b.bots[seat] ?? null
    const from = bot ?? (k > 0 ? after : null)
    if (!from || from.hp === 0) return []
    const landing = bot === null
    const [x, y] = landing ? landed(view, seat, from) : between(view, from, after, paths.get(seat) ?? [])
    const hp = grown(k) > 0 ? (after?.hp ?? from.hp) : from.hp
    return [{ seat, x, y, hp, change: (after?.hp ?? 0) - from.hp, dying: after?.hp === 0, landing }]
  })
  return { bots, built }
}

/** On the way from where it aimed to where it lands. */
function landed(view: BattleView, seat: Seat, to: Bot): Point {
  const { size } = view.header.init
  const aim = view.a.aims[seat] ?? [to.x, to.y]
  const [x, y] = shown(view, aim[0] + 0.5, aim[1] + 0.5)
  const done = ease(view.k)
  return [x + shortestOffset(aim[0], to.x, size) * done, y + shortestOffset(aim[1], to.y, size) * done]
}

/** First its own steps, one each third of its part of the turn, then where Life carries it. */
function between(view: BattleView, from: Bot, to: Bot | null, steps: Point[]): Point {
  const { size } = view.header.init
  let [x, y] = shown(view, from.x + 0.5, from.y + 0.5)
  let [px, py] = [from.x, from.y]
  for (const [round, action] of steps) {
    const done = ease(Math.max(0, Math.min(1, (view.k / ACTED) * 3 - round)))
    x += DX[action]! * done
    y += DY[action]! * done
    px += DX[action]!
    py += DY[action]!
  }
  if (!to || view.k === 0) return [x, y]
  const done = ease(grown(view.k))
  return [x + shortestOffset(wrap(px, size), to.x, size) * done, y + shortestOffset(wrap(py, size), to.y, size) * done]
}
