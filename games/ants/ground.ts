/* The ground of the Ants picture: cells in the colour of who stands on them, bases, beacons, and contested cells. */
import { alpha, mix, type Theme } from '$viewer/game'
import { contests, type Contest } from './chains'
import { cellAt, centre, hexagon, RADIUS, type Point } from './places'
import { blend, label, leftShown, type Picture } from './picture'
import { beaconsOf, SEATS, type Beacon, type Cell, type Seat, type State } from './state'

const FULL_TURN = 2 * Math.PI
const SIDE = RADIUS - 1.6
/** So many ants fill half of a cell with their colour. */
const HALF_FULL = 9
const DEEPEST = 0.3

export function drawGround(picture: Picture): void {
  const { init } = picture
  const shown = contestsShown(picture)
  const colours = coloursOf(picture.theme)
  init.cells.forEach((_, cell) => drawCell(picture, colours, cell, shown.get(cell)))
  for (const seat of SEATS) for (const base of init.bases[seat]!) drawBase(picture, centre(init, base), seat)
}

interface Colours {
  empty: string
  edge: string
  fills: string[]
  edges: string[]
}

/** `fills`, `edges`: for each resource. */
function coloursOf(theme: Theme): Colours {
  const tints = [theme.raise, theme.egg, theme.gem]
  return {
    empty: mix(theme.sink, theme.raise, theme.dark ? 0.35 : 0.42),
    edge: alpha(theme.line, theme.dark ? 0.7 : 0.6),
    fills: tints.map((tint) => mix(theme.raise, tint, theme.dark ? 0.14 : 0.12)),
    edges: tints.map((tint) => mix(theme.line, tint, 0.5)),
  }
}

/** Cells without anything recede; those with ants take on their seat's colour, the more the deeper. */
function drawCell(picture: Picture, colours: Colours, cell: Cell, contest: Contest | undefined): void {
  const { canvas, init, theme, view } = picture
  const [, , resource] = init.cells[cell]!
  const at = centre(init, cell)
  const left = leftShown(picture, cell)
  hexagon(canvas, at, SIDE)
  canvas.fillStyle = left > 0 ? colours.fills[resource]! : colours.empty
  canvas.fill()
  if (contest) drawContest(picture, contest)
  else drawHold(picture, cell)
  hexagon(canvas, at, SIDE)
  canvas.lineWidth = left > 0 ? 1.4 : 1
  canvas.strokeStyle = left > 0 ? colours.edges[resource]! : colours.edge
  canvas.stroke()
  if (!view.layers.numbers) return
  canvas.fillStyle = theme.soft
  canvas.font = `500 9px ${theme.mono}`
  canvas.fillText(String(cell), at[0], at[1] + RADIUS * 0.74)
}

const depth = (ants: number): number => (ants > 0 ? DEEPEST * (0.25 + (0.75 * ants) / (ants + HALF_FULL)) : 0)

function drawHold({ canvas, theme, view: { a, b }, changed }: Picture, cell: Cell): void {
  for (const seat of SEATS) {
    const held = blend(depth(a.ants[seat]![cell]!), depth(b.ants[seat]![cell]!), changed)
    if (held <= 0) continue
    canvas.fillStyle = alpha(theme.players[seat]!, held)
    canvas.fill()
  }
}

// --- Contested cells ----------------------------------------------------------------------------------------------

/** Those of the state that is nearer; where both states have a contest, its front moves. */
function contestsShown({ view: { a, b, header }, changed }: Picture): Map<Cell, Contest> {
  const [near, far] = changed < 0.5 ? [a, b] : [b, a]
  const others = new Map(contests(far, header).map((contest) => [contest.cell, contest]))
  const way = changed < 0.5 ? changed : 1 - changed
  return new Map(
    contests(near, header).map((contest) => {
      const share = blend(contest.share, others.get(contest.cell)?.share ?? contest.share, way)
      return [contest.cell, { ...contest, share }]
    }),
  )
}

/** Each seat has a sector as large as its part of both attack values; the loser's is hatched by the front. */
function drawContest({ canvas, init, theme }: Picture, { cell, share, loser }: Contest): void {
  const [x, y] = centre(init, cell)
  canvas.save()
  canvas.clip()
  for (const seat of SEATS) {
    sector(canvas, x, y, seat, share)
    canvas.fillStyle = alpha(theme.players[seat]!, seat === loser ? 0.12 : 0.36)
    canvas.fill()
  }
  canvas.lineWidth = 3
  canvas.strokeStyle = theme.raise
  sector(canvas, x, y, 0, share)
  canvas.stroke()
  canvas.restore()
}

function sector(canvas: CanvasRenderingContext2D, x: number, y: number, seat: Seat, share: number): void {
  const half = Math.PI * (seat === 0 ? share : 1 - share)
  const middle = seat === 0 ? Math.PI : 0
  canvas.beginPath()
  canvas.moveTo(x, y)
  canvas.arc(x, y, RADIUS * 1.1, middle - half, middle + half)
  canvas.closePath()
}

/** Both attack values over a contested cell, the larger one in full colour. */
export function drawContestValues(picture: Picture): void {
  const { canvas, init, theme, grow, view } = picture
  if (view.zoom * grow < 0.6) return
  for (const { cell, values, loser } of contestsShown(picture).values()) {
    const [x, y] = centre(init, cell)
    if (values[0] === 0 && values[1] === 0) continue
    canvas.font = `750 ${10.5 * grow}px ${theme.mono}`
    for (const seat of SEATS) {
      canvas.globalAlpha = seat === loser ? 0.75 : 1
      canvas.textAlign = seat === 0 ? 'right' : 'left'
      label(picture, String(values[seat]), x + (seat === 0 ? -4 : 4) * grow, y + RADIUS * 0.6, theme.players[seat]!)
    }
    canvas.globalAlpha = 1
    canvas.textAlign = 'center'
    label(picture, loser === null ? '=' : loser === 0 ? '<' : '>', x, y + RADIUS * 0.59, theme.soft)
  }
}

// --- Bases, beacons, the pointer ----------------------------------------------------------------------------------

function drawBase({ canvas, theme }: Picture, at: Point, seat: Seat): void {
  const colour = theme.players[seat]!
  hexagon(canvas, at, RADIUS - 4)
  canvas.lineWidth = 4.5
  canvas.strokeStyle = colour
  canvas.stroke()
  hexagon(canvas, at, RADIUS - 8.5)
  canvas.lineWidth = 2
  canvas.strokeStyle = alpha(colour, 0.35)
  canvas.stroke()
  canvas.fillStyle = alpha(colour, 0.1)
  canvas.fill()
}

/** The beacons that the ants walk by; at rest, those of the turn that is over. */
const beaconsShown = ({ view }: Picture): Beacon[][] => beaconsOf(view.k > 0 ? view.next : view.frame)

/** A beacon is a dotted ring, as thick as its share of the seat's strength. */
export function drawBeacons(picture: Picture): void {
  const { canvas, init, theme } = picture
  beaconsShown(picture).forEach((beacons, seat) => {
    const strongest = Math.max(1, ...beacons.map(([, strength]) => strength))
    canvas.setLineDash([0.1, 6.5])
    canvas.strokeStyle = alpha(theme.players[seat]!, 0.6)
    for (const [cell, strength] of beacons) {
      hexagon(canvas, centre(init, cell), RADIUS - 5.5 - seat * 4)
      canvas.lineWidth = 1.3 + 1.5 * Math.sqrt(strength / strongest)
      canvas.stroke()
    }
    canvas.setLineDash([])
  })
}

export function drawStrengths(picture: Picture): void {
  const { canvas, init, theme, grow } = picture
  canvas.font = `650 ${10 * grow}px ${theme.mono}`
  beaconsShown(picture).forEach((beacons, seat) => {
    for (const [cell, strength] of beacons) {
      const [x, y] = centre(init, cell)
      label(picture, String(strength), x + (seat === 0 ? -22 : 22), y + 24, theme.players[seat]!)
    }
  })
}

export function drawHover({ canvas, init, theme, view }: Picture): void {
  const cell = view.hover && cellAt(init, ...view.hover)
  if (cell === null) return
  hexagon(canvas, centre(init, cell), RADIUS - 1)
  canvas.lineWidth = 2.5
  canvas.strokeStyle = theme.ink
  canvas.stroke()
}

/** How many ants a seat has in a cell, written large: for the layer of counts, and for the cell under the pointer. */
export function drawCounts(picture: Picture): void {
  const { canvas, init, theme, view, changed, grow } = picture
  const state: State = changed < 0.5 ? view.a : view.b
  const hovered = view.hover && cellAt(init, ...view.hover)
  canvas.font = `750 ${15 * grow}px ${theme.mono}`
  init.cells.forEach((_, cell) => {
    if (!view.layers.counts && cell !== hovered) return
    const [x, y] = centre(init, cell)
    const there = SEATS.filter((seat) => state.ants[seat]![cell]! > 0)
    for (const seat of there) {
      const aside = there.length > 1 ? (seat === 0 ? -17 : 17) : 0
      label(picture, String(state.ants[seat]![cell]), x + aside, y + 4, theme.players[seat]!)
    }
  })
}

/** Where there was something once, a dot remains. */
export function drawRemains(picture: Picture): void {
  const { canvas, init, theme } = picture
  canvas.fillStyle = alpha(theme.soft, 0.3)
  init.cells.forEach(([, , , amount], cell) => {
    if (amount === 0 || leftShown(picture, cell) > 0) return
    canvas.beginPath()
    canvas.arc(...centre(init, cell), 2.5, 0, FULL_TURN)
    canvas.fill()
  })
}
