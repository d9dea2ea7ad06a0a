/* Triangles: filled in their owner's colour, captured with a short flash, and drawn to where they are spent. */
import { alpha, ease, playerShape } from '$viewer/game'
import { FULL_TURN, HALF, houseAt, middle, towards, triangleAt, type Picture, type Point } from './picture'
import { SEATS, type Corners, type Triangle } from './state'

/** Triangles are a little smaller than the land between their houses, so that neighbours can be told apart. */
const SIZE = 0.9

/** A triangle's path, shrunk by a part towards a point, which is its middle if none is given. */
function trianglePath({ canvas, init }: Picture, corners: Corners, size: number, to?: Point): void {
  const centre = middle(init, corners)
  canvas.beginPath()
  for (const corner of corners) {
    const place = towards(centre, init.houses[corner]!, SIZE)
    canvas.lineTo(...(to ? towards(to, place, size) : towards(centre, place, size)))
  }
  canvas.closePath()
}

export function drawTriangles(picture: Picture): void {
  const { board, after, stage, done } = picture
  const captured = new Set(stage?.kind === 'capture' ? stage.captured.map(({ corners }) => String(corners)) : [])
  const later = new Map(after.triangles.map((triangle) => [String(triangle.corners), triangle]))
  const targets = spendings(picture)
  for (const triangle of board.triangles) {
    const name = String(triangle.corners)
    const next = later.get(name)
    const leaving = stage !== null && (next?.owner ?? null) !== triangle.owner
    if (triangle.owner !== null) drawOwned(picture, triangle, leaving, targets.get(name))
    if (next && captured.has(name)) drawCapture(picture, next)
    drawSign(picture, done < HALF || !next ? triangle : next, next && !leaving ? 1 : Math.abs(1 - 2 * done))
  }
}

/** Where each triangle that is spent in this stage goes to. */
function spendings({ init, stage }: Picture): Map<string, Point> {
  const found = new Map<string, Point>()
  if (stage?.kind === 'spawn') for (const { triangle, house } of stage.spawns) found.set(String(triangle.corners), init.houses[house]!)
  if (stage?.kind === 'attack') for (const { triangle, house } of stage.attacks) found.set(String(triangle.corners), init.houses[house]!)
  if (stage?.kind === 'path') {
    for (const { triangle, path } of stage.changes) {
      found.set(String(triangle.corners), towards(init.houses[path[0]]!, init.houses[path[1]]!, 0.5))
    }
  }
  return found
}

function drawOwned(picture: Picture, triangle: Triangle, leaving: boolean, target: Point | undefined): void {
  const { done } = picture
  if (!leaving) {
    fillTriangle(picture, triangle, 1, 1)
    return
  }
  const left = 1 - ease(Math.min(1, done / HALF))
  if (left > 0) fillTriangle(picture, triangle, left, target ? 1 : left, target)
}

/** It grows from its middle, and flashes when it is full. */
function drawCapture(picture: Picture, triangle: Triangle): void {
  const { canvas, theme, done } = picture
  const grown = ease(Math.min(1, done / HALF))
  fillTriangle(picture, triangle, grown, 1)
  const flash = done < HALF ? 0 : 1 - (done - HALF) / (1 - HALF)
  if (flash === 0) return
  const scale = 1 + 0.09 * (1 - flash)
  trianglePath(picture, triangle.corners, scale)
  canvas.lineWidth = 7 * flash * picture.grow
  canvas.strokeStyle = alpha(theme.players[triangle.owner!]!, 0.8 * flash)
  canvas.stroke()
  canvas.fillStyle = alpha(theme.players[triangle.owner!]!, 0.3 * flash)
  canvas.fill()
}

function fillTriangle(picture: Picture, { corners, owner }: Triangle, size: number, opacity: number, to?: Point): void {
  const { canvas, theme } = picture
  const colour = theme.players[owner!]!
  trianglePath(picture, corners, size, to)
  canvas.fillStyle = alpha(colour, (theme.dark ? 0.36 : 0.3) * opacity)
  canvas.fill()
  canvas.lineWidth = 2.5
  canvas.strokeStyle = alpha(colour, 0.75 * opacity)
  canvas.stroke()
}

// --- Signs --------------------------------------------------------------------------------------------------------

/** The triangles whose hints are shown: all, or those at the pointer. */
function isHinted({ view }: Picture, triangle: Triangle): boolean {
  if (view.layers.may) return true
  if (!view.hover) return false
  const house = houseAt(view, ...view.hover)
  if (house !== null) return triangle.corners.includes(house)
  return String(triangleAt(view, ...view.hover)?.corners) === String(triangle.corners)
}

/** In the middle: the owner's shape; as a hint hollow shapes of those who may capture, or a dash when nobody may. */
function drawSign(picture: Picture, triangle: Triangle, opacity: number): void {
  const { canvas, init, theme, grow } = picture
  const { corners, owner } = triangle
  const [x, y] = middle(init, corners)
  if (owner !== null) {
    playerShape(canvas, owner, x, y, 10 * grow)
    canvas.fillStyle = alpha(theme.players[owner]!, opacity)
    canvas.fill()
  }
  if (isHinted(picture, triangle)) drawHint(picture, triangle, [x, y], opacity)
  else if (owner === null) drawDot(picture, [x, y])
}

/** Who looks at the whole board sees only that there is something to capture. */
function drawDot({ canvas, theme, grow }: Picture, [x, y]: Point): void {
  canvas.beginPath()
  canvas.arc(x, y, 2.4 * grow, 0, FULL_TURN)
  canvas.fillStyle = alpha(theme.soft, 0.35)
  canvas.fill()
}

function drawHint({ canvas, theme, grow }: Picture, { owner, may }: Triangle, [x, y]: Point, opacity: number): void {
  const allowed = SEATS.filter((seat) => may[seat])
  const radius = 9 * grow
  canvas.lineWidth = 2.6 * grow
  allowed.forEach((seat, i) => {
    const aside = allowed.length > 1 ? (i === 0 ? -1.25 : 1.25) * radius : 0
    playerShape(canvas, seat, x + aside, y, owner === null ? radius : radius * 1.7)
    canvas.strokeStyle = alpha(theme.players[seat]!, opacity)
    canvas.stroke()
  })
  if (allowed.length > 0) return
  canvas.strokeStyle = alpha(theme.soft, 0.9 * opacity)
  canvas.beginPath()
  canvas.moveTo(x - radius * 0.7, y)
  canvas.lineTo(x + radius * 0.7, y)
  canvas.stroke()
}

export function drawHoveredTriangle(picture: Picture): void {
  const { canvas, theme, view } = picture
  if (!view.hover || houseAt(view, ...view.hover) !== null) return
  const triangle = triangleAt(view, ...view.hover)
  if (!triangle) return
  trianglePath(picture, triangle.corners, 1)
  canvas.lineWidth = 2.5
  canvas.strokeStyle = theme.ink
  canvas.stroke()
}
