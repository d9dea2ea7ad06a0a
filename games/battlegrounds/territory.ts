/* Whose land is whose: each place is tinted by the team whose bot is nearest, fainter with the distance and at fronts. */
import { rgb, teamOf, type Header, type Theme } from '$viewer/game'
import { shortestOffset, wrap, type Init, type State } from './state'

/** Tinted squares along a side of the board. */
const SQUARES = 25
/** Land further from any bot than this is nobody's. */
const REACH = 60
/** Within so many cells of being as near to another team the tint fades. */
const FRONT = 14
const DEEPEST = 72

/** Per square its team and how deep the tint is, 0 to 1. */
export function territory(state: State, header: Header<Init>): { side: number; teams: Int8Array; depths: Float32Array } {
  const { size } = header.init
  const side = Math.min(size, SQUARES)
  const square = size / side
  const teams = new Int8Array(side * side).fill(-1)
  const depths = new Float32Array(side * side)
  const bots = state.bots.flatMap((bot, seat) => (bot?.hp ? [{ x: bot.x, y: bot.y, team: teamOf(header, seat) }] : []))
  for (let i = 0; i < side * side; i++) {
    const x = ((i % side) + 0.5) * square
    const y = (Math.floor(i / side) + 0.5) * square
    let [nearest, other, team] = [Infinity, Infinity, -1]
    for (const bot of bots) {
      const away = Math.hypot(shortestOffset(x, bot.x, size), shortestOffset(y, bot.y, size))
      if (away < nearest) {
        if (bot.team !== team) other = nearest
        ;[nearest, team] = [away, bot.team]
      } else if (bot.team !== team && away < other) other = away
    }
    if (nearest >= REACH) continue
    teams[i] = team
    depths[i] = (1 - nearest / REACH) * Math.min(1, (other - nearest) / FRONT)
  }
  return { side, teams, depths }
}

/** Land changes slowly: it is painted anew after so many turns. */
const TURNS = 3

interface Painted {
  land: OffscreenCanvas
  theme: Theme
  header: Header<Init>
  turns: number
}
let painted: Painted | null = null

/** The tints, one pixel a cell, for the whole board. */
export function territoryPicture(state: State, header: Header<Init>, theme: Theme): OffscreenCanvas {
  const turns = Math.floor(state.turn / TURNS)
  if (painted?.theme !== theme || painted.header !== header || painted.turns !== turns) {
    painted = { land: painted?.land ?? new OffscreenCanvas(1, 1), theme, header, turns }
    paint(painted.land, state, header, theme)
  }
  return painted.land
}

function paint(land: OffscreenCanvas, state: State, header: Header<Init>, theme: Theme): void {
  const { size } = header.init
  const { side, teams, depths } = territory(state, header)
  const colours = theme.players.map(rgb)
  // One square more on each side, so that the tint runs on across the board's edges.
  const wide = side + 2
  const image = new ImageData(wide, wide)
  for (let i = 0; i < wide * wide; i++) {
    const from = wrap(Math.floor(i / wide) - 1, side) * side + wrap((i % wide) - 1, side)
    const team = teams[from]!
    if (team < 0) continue
    const [r, g, b] = colours[team % colours.length]!
    image.data.set([r!, g!, b!, DEEPEST * Math.sqrt(depths[from]!)], i * 4)
  }
  const small = new OffscreenCanvas(wide, wide)
  small.getContext('2d')!.putImageData(image, 0, 0)
  land.width = land.height = size
  const square = size / side
  land.getContext('2d')!.drawImage(small, -square, -square, wide * square, wide * square)
}
