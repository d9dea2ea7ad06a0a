/* Tron in person: arrow keys steer, and so does a click, towards where it is. */
import { alpha, type Ask, type Asked } from '$viewer/game'
import { CELL, centre } from './places'
import { headOf, type Init, type Point, type State, type TronFrame } from './state'

type Way = 'UP' | 'DOWN' | 'LEFT' | 'RIGHT'
type Here = Asked<Init, State>

const STEPS: Record<Way, Point> = { UP: [0, -1], DOWN: [0, 1], LEFT: [-1, 0], RIGHT: [1, 0] }
const WAYS = Object.keys(STEPS) as Way[]
const KEYS: Record<string, Way> = { ArrowUp: 'UP', ArrowDown: 'DOWN', ArrowLeft: 'LEFT', ArrowRight: 'RIGHT' }

export const ask: Ask<Init, TronFrame, State> = {
  prompt: (_, here) => {
    const ways = freeWays(here)
    if (ways.length === 0) return 'No cell beside you is free: whatever you do is your last move.'
    return `Your turn: steer with the arrow keys, or click where to. Free: ${ways.join(', ')}.`
  },
  example: (here) => freeWays(here)[0] ?? 'UP',
  point: (input, at, here) => ({ ...input, commands: [towards(at, here)] }),
  places: (_, here) => freeWays(here).map((way) => centre(beside(here, way))),
  key: (input, key) => (KEYS[key] ? { ...input, commands: [KEYS[key]] } : null),
  draw: (canvas, _, here, { theme, hover }) => {
    const chosen = hover && towards(hover, here)
    for (const way of freeWays(here)) {
      const [x, y] = beside(here, way)
      canvas.fillStyle = alpha(theme.players[here.seat]!, way === chosen ? 0.55 : 0.25)
      canvas.beginPath()
      canvas.roundRect(x * CELL + 2, y * CELL + 2, CELL - 4, CELL - 4, 4)
      canvas.fill()
    }
  },
}

const beside = ({ state, seat }: Here, way: Way): Point => {
  const [x, y] = headOf(state, seat) ?? [0, 0]
  return [x + STEPS[way][0], y + STEPS[way][1]]
}

function freeWays(here: Here): Way[] {
  const { w, h } = here.header.init
  return WAYS.filter((way) => {
    const [x, y] = beside(here, way)
    return x >= 0 && y >= 0 && x < w && y < h && !here.state.trails.some((trail) => trail.some(([tx, ty]) => tx === x && ty === y))
  })
}

/** The way that leads nearest to a point: along the longer side. */
function towards([x, y]: Point, { state, seat }: Here): Way {
  const [hx, hy] = centre(headOf(state, seat) ?? [0, 0])
  if (Math.abs(x - hx) > Math.abs(y - hy)) return x > hx ? 'RIGHT' : 'LEFT'
  return y > hy ? 'DOWN' : 'UP'
}
