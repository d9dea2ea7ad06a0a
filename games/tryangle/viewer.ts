/*
 * How TryAngle Catch looks: houses on paths, units as a pile of their seat's shape beside them, triangles in their
 * owner's colour. Each turn is shown stage by stage, in the order in which the rules carry it out. `state` reads the
 * replay, `picture` says where things are; `triangles`, `houses` and `actions` are the picture from below.
 */
import type { GameViewer, Tip } from '$viewer/game'
import { drawActions } from './actions'
import { ask } from './ask'
import { drawHouses, drawHoveredPaths, drawLinkable, drawPaths, drawUnits } from './houses'
import { foot, hud } from './hud'
import { bounds, houseAt, middle, neighboursIn, pictureOf, triangleAt, type Canvas, type TryView } from './picture'
import {
  curve,
  marks,
  ownerOf,
  SEATS,
  start,
  step,
  trianglesOf,
  unitsOf,
  type House,
  type Init,
  type State,
  type Triangle,
  type TryFrame,
} from './state'
import { drawHoveredTriangle, drawTriangles } from './triangles'

const viewer: GameViewer<Init, TryFrame, State> = {
  rate: 1.4,
  layers: {
    owners: { label: 'House owners', on: true },
    may: { label: 'Who may capture', on: false },
    messages: { label: 'Messages', on: true },
    numbers: { label: 'House numbers', on: false },
    linkable: { label: 'Possible paths', on: false },
  },

  start,
  step,
  bounds,
  draw,
  hud,
  foot,
  hit,
  ask,

  curve,
  marks,
  score: (state) => state.scores.map(String),
  note: (state) => SEATS.map((seat) => `${trianglesOf(state, seat)}/${state.triangles.length} △, ${unitsOf(state, seat)} units`),
  describe: (state, { players }) =>
    players
      .map(
        ({ bot }, seat) =>
          `${bot} has ${state.scores[seat]} points, ${trianglesOf(state, seat)} of ${state.triangles.length} triangles ` +
          `and ${unitsOf(state, seat)} units`,
      )
      .join('; ') + '.',
}
export default viewer

function draw(canvas: Canvas, view: TryView): void {
  const picture = pictureOf(canvas, view)
  canvas.textAlign = 'center'
  canvas.textBaseline = 'middle'
  canvas.lineJoin = 'round'
  canvas.lineCap = 'round'
  drawTriangles(picture)
  if (view.layers.linkable) drawLinkable(picture)
  drawPaths(picture)
  drawHoveredTriangle(picture)
  drawHoveredPaths(picture)
  drawHouses(picture)
  drawUnits(picture)
  drawActions(picture)
}

// --- Tooltip ------------------------------------------------------------------------------------------------------

function hit(x: number, y: number, view: TryView): Tip | null {
  const house = houseAt(view, x, y)
  if (house !== null) return houseTip(house, view)
  const triangle = triangleAt(view, x, y)
  return triangle && triangleTip(triangle, view)
}

function houseTip(house: House, { a, header }: TryView): Tip {
  const { players, init } = header
  const neighbours = neighboursIn(a, init)[house]!
  const owner = ownerOf(a, house, neighbours)
  const rows: Tip['rows'] = SEATS.filter((seat) => a.units[seat]![house]! > 0).map((seat) => {
    const count = a.units[seat]![house]!
    return { label: players[seat]!.bot, value: count === 1 ? '1 unit' : `${count} units`, player: seat }
  })
  rows.push({ label: 'Owner', value: owner ? `${players[owner.seat]!.bot}${owner.surrounds ? ', surrounds it' : ''}` : 'nobody' })
  rows.push({ label: 'Paths to', value: neighbours.join(' ') || 'nowhere' })
  return { title: `House ${house}`, rows, at: init.houses[house]! }
}

function triangleTip({ corners, owner, may }: Triangle, { header }: TryView): Tip {
  const { players, init } = header
  const allowed = SEATS.filter((seat) => may[seat])
  return {
    title: `Triangle ${corners.join(' ')}`,
    rows: [
      owner === null
        ? { label: 'Owner', value: 'nobody' }
        : { label: 'Owner', value: players[owner]!.bot, player: owner },
      ...allowed.map((seat) => ({ label: 'May capture', value: players[seat]!.bot, player: seat })),
      ...(allowed.length ? [] : [{ label: 'May capture', value: 'nobody' }]),
    ],
    at: middle(init, corners),
  }
}
