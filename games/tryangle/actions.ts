/* What seats do with triangles: new units, attacks, and the units that are lost. */
import { alpha, ease } from '$viewer/game'
import { drawStack } from './houses'
import { FULL_TURN, HALF, label, line, middle, towards, unitsPlace, type Picture } from './picture'
import type { House, Seat, Triangle } from './state'

export function drawActions(picture: Picture): void {
  const { stage, init, done, theme } = picture
  if (stage?.kind === 'attack') {
    for (const { seat, triangle, house, killed } of stage.attacks) {
      drawBeams(picture, seat, triangle, house)
      drawLoss(picture, house, 1 - seat, killed, theme.players[seat]!)
    }
  } else if (stage?.kind === 'spawn') {
    for (const { seat, triangle, house } of stage.spawns) {
      const way = Math.min(1, done / HALF)
      const at = towards(middle(init, triangle.corners), unitsPlace(picture, house, seat), ease(way))
      if (way < 1) drawStack(picture, seat, at, 1, 0.4 + 0.5 * way)
      else drawRing(picture, house, theme.players[seat]!, (done - HALF) / (1 - HALF))
    }
  } else if (stage?.kind === 'kill') {
    for (const { seat, house, units } of stage.kills) drawLoss(picture, house, seat, units, theme.players[1 - seat]!)
  }
}

/** From the corners of a triangle to the house that it attacks. */
function drawBeams({ canvas, init, theme, done, grow }: Picture, seat: Seat, { corners }: Triangle, house: House): void {
  const target = init.houses[house]!
  canvas.strokeStyle = alpha(theme.players[seat]!, done < HALF ? 0.95 : (1 - done) / (1 - HALF))
  canvas.lineWidth = 6 * grow
  canvas.setLineDash([16, 12])
  canvas.lineDashOffset = -done * 120
  for (const corner of corners) {
    if (corner !== house) line(canvas, init.houses[corner]!, towards(init.houses[corner]!, target, Math.min(1, done / HALF)))
  }
  canvas.setLineDash([])
  canvas.lineDashOffset = 0
}

/** Units of a seat that are killed: a ring in the colour of who kills, and their number, rising. */
function drawLoss(picture: Picture, house: House, seat: Seat, units: number, colour: string): void {
  const { canvas, theme, done, grow, size } = picture
  if (done < HALF) return
  const way = (done - HALF) / (1 - HALF)
  drawRing(picture, house, colour, way)
  if (units === 0) return
  const [x, y] = unitsPlace(picture, house, seat)
  canvas.globalAlpha = 1 - way * way
  canvas.font = `750 ${28 * grow}px ${theme.mono}`
  label(canvas, theme, `−${units}`, x, y - size * 0.3 - way * 30 * grow, theme.bad)
  canvas.globalAlpha = 1
}

function drawRing({ canvas, init, size, grow }: Picture, house: House, colour: string, way: number): void {
  const [x, y] = init.houses[house]!
  canvas.beginPath()
  canvas.arc(x, y, size * (0.5 + 0.75 * way), 0, FULL_TURN)
  canvas.lineWidth = 6 * grow * (1 - way) + 1
  canvas.strokeStyle = alpha(colour, 1 - way)
  canvas.stroke()
}
