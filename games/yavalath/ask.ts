/* Yavalath in person: a click on a cell is the move. */
import { alpha, playerShape, type Ask, type Asked } from '$viewer/game'
import { centre, hexagon, placeAt, RADIUS } from './places'
import { PLACES, type Point, type State, type YavalathFrame } from './state'

/** The second turn may take the first stone. After that there is one stone, too, but nothing to take. */
const canSteal = ({ stones }: State): boolean => stones.length === 1 && !stones[0]!.stolen

export const ask: Ask<unknown, YavalathFrame, State> = {
  prompt: (_, asked) => {
    const first = asked.state.stones[0]
    if (!first) return 'Your turn: place the first stone on any cell.'
    if (canSteal(asked.state)) return `Your turn: place a stone, or steal the one at ${first.x} ${first.y}.`
    return 'Your turn: place a stone on an empty cell.'
  },
  example: () => '4 4',
  point: (input, at, asked) => {
    const place = placeAt(...at)
    return place && mayTake(asked, place) ? { ...input, commands: [place.join(' ')] } : input
  },
  places: (_, asked) => PLACES.filter((place) => mayTake(asked, place)).map(([x, y]) => centre(x, y)),
  draw: (canvas, _, asked, { theme, hover }) => {
    canvas.fillStyle = alpha(theme.players[asked.seat]!, 0.09)
    for (const place of PLACES) {
      if (!mayTake(asked, place)) continue
      hexagon(canvas, centre(...place), RADIUS - 3)
      canvas.fill()
    }
    const under = hover && placeAt(...hover)
    if (!under || !mayTake(asked, under)) return
    playerShape(canvas, asked.seat, ...centre(...under), 22)
    canvas.globalAlpha = 0.55
    canvas.fillStyle = theme.players[asked.seat]!
    canvas.fill()
    canvas.globalAlpha = 1
  },
}

function mayTake({ state }: Asked<unknown, State>, [x, y]: Point): boolean {
  const taken = state.stones.some((stone) => stone.x === x && stone.y === y)
  return !taken || canSteal(state)
}
