/*
 * How Ants looks. A turn is drawn in two parts: first the ants walk, then the harvest travels down the chains. `state`
 * reads the replay, `chains` and `walks` say who holds what and where each ant is; `ground`, `harvest` and `swarm` are
 * the layers of the picture, from below. replay.md describes the frames.
 */
import type { GameViewer, Header, Tip } from '$viewer/game'
import { ask } from './ask'
import { contests } from './chains'
import { drawBeacons, drawContestValues, drawCounts, drawGround, drawHover, drawRemains, drawStrengths } from './ground'
import { drawAmounts, drawBroods, drawChains, drawHarvest, drawHeaps, drawStrengthOfChains } from './harvest'
import { drawMessages } from './messages'
import { pictureOf, type AntsView, type Canvas } from './picture'
import { bounds, cellAt, centre } from './places'
import { beaconsOf, counted, marks, Resource, SEATS, start, step, total, type AntsFrame, type Cell, type Init, type State } from './state'
import { drawSwarm } from './swarm'

export type { State } from './state'

const viewer: GameViewer<Init, AntsFrame, State> = {
  rate: 1.3,
  layers: {
    counts: { label: 'Ant counts', on: false },
    chains: { label: 'Harvest chains', on: true },
    beacons: { label: 'Beacons', on: false },
    strengths: { label: 'Beacon strengths', on: false },
    messages: { label: 'Messages', on: true },
    numbers: { label: 'Cell numbers', on: false },
  },

  start,
  step,
  bounds,
  draw,
  hud: drawMessages,
  hit,
  ask,

  curve: (frames) => SEATS.map((seat) => [0, ...frames.map((frame) => frame.s[seat]!)]),
  marks,
  score: (state) => state.points.map(String),
  note: (state) => state.ants.map((cells) => counted(total(cells))),
  describe,
}
export default viewer

function describe(state: State, header: Header<Init>): string {
  const seats = header.players.map(
    ({ bot }, seat) => `${bot} has ${state.points[seat]} ${state.points[seat] === 1 ? 'point' : 'points'} and ${counted(total(state.ants[seat]!))}`,
  )
  const contested = contests(state, header).length
  const where = contested ? ` Both are on ${contested} ${contested === 1 ? 'cell' : 'cells'}.` : ''
  return `${seats.join('; ')}.${where}`
}

function draw(canvas: Canvas, view: AntsView): void {
  const picture = pictureOf(canvas, view)
  canvas.textAlign = 'center'
  canvas.textBaseline = 'middle'
  canvas.lineJoin = 'round'
  canvas.lineCap = 'round'

  drawGround(picture)
  drawRemains(picture)
  if (view.layers.beacons) drawBeacons(picture)
  if (view.layers.chains) drawChains(picture)
  drawHeaps(picture)
  drawSwarm(picture)
  drawAmounts(picture)
  drawHarvest(picture)
  if (view.layers.chains) drawStrengthOfChains(picture)
  drawContestValues(picture)
  drawBroods(picture)
  if (view.layers.strengths) drawStrengths(picture)
  drawHover(picture)
  drawCounts(picture)
}

// --- Tooltip ------------------------------------------------------------------------------------------------------

function hit(x: number, y: number, view: AntsView): Tip | null {
  const { init, players } = view.header
  const cell = cellAt(init, x, y)
  if (cell === null) return null
  const owner = SEATS.find((seat) => init.bases[seat]!.includes(cell))
  const title = owner === undefined ? `Cell ${cell}` : `Cell ${cell}, base of ${players[owner]!.bot}`
  return { title, rows: [...resourceRow(cell, view), ...antRows(cell, view), ...contestRows(cell, view)], at: centre(init, cell) }
}

function resourceRow(cell: Cell, { a, header: { init } }: AntsView): Tip['rows'] {
  const [, , resource, start] = init.cells[cell]!
  if (resource === Resource.None) return []
  return [{ label: resource === Resource.Egg ? 'Eggs' : 'Crystal', value: `${a.left[cell]} of ${start}` }]
}

function antRows(cell: Cell, { a, frame, header: { players } }: AntsView): Tip['rows'] {
  return SEATS.flatMap((seat) => {
    const ants = a.ants[seat]![cell]!
    const beacon = beaconsOf(frame)[seat]?.find(([place]) => place === cell)
    if (!ants && !beacon) return []
    const value = beacon ? `${counted(ants)}, beacon ${beacon[1]}` : counted(ants)
    return [{ label: players[seat]!.bot, value, player: seat }]
  })
}

/** Who is stronger on a cell that both stand on. */
function contestRows(cell: Cell, { a, header }: AntsView): Tip['rows'] {
  const contest = contests(a, header).find((one) => one.cell === cell)
  if (!contest) return []
  const { values, loser } = contest
  const rows: Tip['rows'] = [{ label: 'Attack values', value: `${values[0]} : ${values[1]}` }]
  if (loser !== null) rows.push({ label: header.players[loser]!.bot, value: 'no chain through here', player: loser })
  return rows
}
