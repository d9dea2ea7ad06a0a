/* Paths, houses, and the units beside them. */
import { alpha, ease, mix, playerShape } from '$viewer/game'
import { HALF, houseAt, label, line, neighboursIn, towards, unitsPlace, type Picture, type Point } from './picture'
import { linkable, ownerOf, SEATS, type Path, type Seat } from './state'

// --- Paths --------------------------------------------------------------------------------------------------------

export function drawPaths({ canvas, init, theme, board, stage, done, grow }: Picture): void {
  const changing = new Map(stage?.kind === 'path' ? stage.changes.map((change) => [String(change.path), change]) : [])
  const plain = mix(theme.line, theme.soft, 0.42)
  canvas.lineWidth = 3 * grow
  for (const path of board.paths) {
    canvas.strokeStyle = changing.has(String(path)) ? alpha(plain, 1 - done) : plain
    line(canvas, init.houses[path[0]]!, init.houses[path[1]]!)
  }
  for (const { seat, path, added } of changing.values()) {
    const [from, to] = [init.houses[path[0]]!, init.houses[path[1]]!]
    const centre = towards(from, to, 0.5)
    const reach = added ? ease(done) : 1 - ease(done)
    canvas.lineWidth = 7 * grow
    canvas.strokeStyle = theme.players[seat]!
    canvas.setLineDash(added ? [] : [14, 14])
    line(canvas, towards(centre, from, reach), towards(centre, to, reach))
    canvas.setLineDash([])
  }
}

const possible = new WeakMap<Path[], Path[]>()

export function drawLinkable({ canvas, init, theme, board }: Picture): void {
  const found = possible.get(board.paths) ?? linkable(init, board.paths)
  possible.set(board.paths, found)
  canvas.lineWidth = 1.5
  canvas.strokeStyle = alpha(theme.soft, 0.6)
  canvas.setLineDash([3, 9])
  for (const [a, b] of found) line(canvas, init.houses[a]!, init.houses[b]!)
  canvas.setLineDash([])
}

export function drawHoveredPaths({ canvas, init, theme, board, view, grow }: Picture): void {
  const house = view.hover && houseAt(view, ...view.hover)
  if (house === null) return
  canvas.strokeStyle = theme.ink
  canvas.lineWidth = 4 * grow
  for (const next of neighboursIn(board, init)[house]!) line(canvas, init.houses[house]!, init.houses[next]!)
}

// --- Houses -------------------------------------------------------------------------------------------------------

/** A house's outline for a width of 1, its middle at 0, 0. */
const HOUSE: Point[] = [
  [-0.5, -0.08],
  [0, -0.53],
  [0.5, -0.08],
  [0.37, -0.08],
  [0.37, 0.42],
  [-0.37, 0.42],
  [-0.37, -0.08],
]

export function drawHouses({ canvas, init, theme, board, after, done, view, size, grow }: Picture): void {
  const shown = done < HALF ? board : after
  const neighbours = neighboursIn(shown, init)
  init.houses.forEach(([x, y], house) => {
    const owner = view.layers.owners ? ownerOf(shown, house, neighbours[house]!) : null
    const colour = owner && theme.players[owner.seat]!
    canvas.beginPath()
    for (const [dx, dy] of HOUSE) canvas.lineTo(x + dx * size, y + dy * size)
    canvas.closePath()
    canvas.fillStyle = colour ? mix(theme.raise, colour, theme.dark ? 0.42 : 0.36) : mix(theme.raise, theme.sink, 0.3)
    canvas.fill()
    canvas.lineWidth = (colour ? 3 : 1.6) * grow
    canvas.strokeStyle = colour ?? mix(theme.soft, theme.raise, 0.4)
    canvas.stroke()
    if (!view.layers.numbers) return
    canvas.font = `600 ${15 * grow}px ${theme.mono}`
    label(canvas, theme, String(house), x, y - size * 0.78, theme.ink)
  })
}

// --- Units --------------------------------------------------------------------------------------------------------

export function drawUnits(picture: Picture): void {
  const { board, after, stage, done } = picture
  const moving = stage?.kind === 'move'
  for (const seat of SEATS) {
    const units = [...(done < HALF || moving ? board : after).units[seat]!]
    if (moving) for (const walk of stage.walks) if (walk.seat === seat) units[walk.from]! -= walk.units
    units.forEach((count, house) => {
      if (count > 0) drawStack(picture, seat, unitsPlace(picture, house, seat), count)
    })
  }
  if (!moving) return
  for (const { seat, from, to, units } of stage.walks) {
    const at = towards(unitsPlace(picture, from, seat), unitsPlace(picture, to, seat), ease(done))
    drawStack(picture, seat, at, units, 0.92)
  }
}

const MOST_LAYERS = 4

/** Units as a pile of their seat's shape, the higher the more they are, with their number on top. */
export function drawStack({ canvas, theme, size: house, grow }: Picture, seat: Seat, [x, y]: Point, count: number, size = 1): void {
  // A diamond reaches as far as a disc only if it is drawn smaller.
  const radius = (house / 2) * size * (seat === 0 ? 0.98 : 0.9)
  const layers = Math.min(MOST_LAYERS, Math.ceil(Math.log2(count + 1)))
  const colour = theme.players[seat]!
  const step = 5 * grow * size
  canvas.lineWidth = 2.2 * grow
  for (let layer = 0; layer < layers; layer++) {
    const top = layer === layers - 1
    playerShape(canvas, seat, x, y - layer * step, radius)
    canvas.fillStyle = top ? colour : mix(colour, theme.raise, 0.35)
    canvas.fill()
    canvas.strokeStyle = theme.raise
    canvas.stroke()
  }
  canvas.fillStyle = theme.onPlayer
  canvas.font = `700 ${radius * (count > 99 ? 0.8 : 1.05)}px ${theme.mono}`
  canvas.fillText(String(count), x, y - (layers - 1) * step + radius * 0.06)
}
