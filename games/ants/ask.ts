/*
 * Ants in person. A click draws a line of beacons from the nearest base, or places one beacon; each further click on the
 * same cell makes it stronger. Commands are those of the protocol, so that the text beside the board says the same.
 */
import { alpha, type Ask, type Asked, type Input } from '$viewer/game'
import { cellAt, centre, hexagon, neighbours, RADIUS } from './places'
import type { AntsFrame, Beacon, Cell, Init, State } from './state'

type Canvas = CanvasRenderingContext2D
type AskedAnts = Asked<Init, State>

const LINE = 'line'
const BEACON = 'beacon'

export const ask: Ask<Init, AntsFrame, State> = {
  prompt: (input) =>
    input.tool === LINE
      ? 'Your turn: click a cell for a line of beacons from your nearest base; again for a stronger one. Then end the turn.'
      : 'Your turn: click a cell for a beacon; again for a stronger one. Then end the turn.',
  example: ({ seat, header }) => `LINE ${header.init.bases[seat]![0]} 7 1;BEACON 3 2`,
  pass: 'WAIT',
  tools: () => [
    { id: LINE, label: 'Line from base' },
    { id: BEACON, label: 'Beacon' },
  ],
  point(input, at, asked) {
    const cell = cellAt(asked.header.init, ...at)
    return cell === null ? input : { ...input, commands: stronger(input.commands, command(input.tool, cell, asked)) }
  },
  places: (_, { header: { init } }) => init.cells.map((_, cell) => centre(init, cell)),
  draw(canvas, input, asked, view) {
    const { init } = asked.header
    const colour = view.theme.players[asked.seat]!
    const under = view.hover && cellAt(init, ...view.hover)
    canvas.save()
    if (under !== null) {
      canvas.fillStyle = alpha(colour, 0.22)
      for (const cell of input.tool === LINE ? lineFrom(nearestBase(under, asked), under, init) : [under]) fill(canvas, init, cell)
    }
    canvas.strokeStyle = colour
    canvas.lineWidth = 5
    for (const [cell, strength] of beaconsOfInput(input, init)) drawBeacon(canvas, init, cell, strength, view.theme.ink, view.theme.font)
    canvas.restore()
  },
}

function fill(canvas: Canvas, init: Init, cell: Cell): void {
  hexagon(canvas, centre(init, cell), RADIUS - 3)
  canvas.fill()
}

function drawBeacon(canvas: Canvas, init: Init, cell: Cell, strength: number, ink: string, font: string): void {
  const [x, y] = centre(init, cell)
  hexagon(canvas, [x, y], RADIUS - 6)
  canvas.stroke()
  if (strength < 2) return
  canvas.font = `700 18px ${font}`
  canvas.fillStyle = ink
  canvas.fillText(`×${strength}`, x, y - RADIUS * 0.55)
}

// --- Commands -----------------------------------------------------------------------------------------------------

const command = (tool: string, cell: Cell, asked: AskedAnts): string =>
  tool === LINE ? `LINE ${nearestBase(cell, asked)} ${cell} 1` : `BEACON ${cell} 1`

/** The commands with this one; one of the same cells gets stronger instead. */
function stronger(commands: readonly string[], added: string): string[] {
  const cells = (text: string): string => text.slice(0, text.lastIndexOf(' '))
  const known = commands.findIndex((one) => cells(one) === cells(added))
  if (known < 0) return [...commands, added]
  const strength = Number(commands[known]!.slice(cells(added).length)) + 1
  return commands.map((one, at) => (at === known ? `${cells(added)} ${strength}` : one))
}

/** Where the commands put beacons: all lines come before single beacons, and the last one for a cell counts. */
export function beaconsOfInput({ commands }: Input, init: Init): Beacon[] {
  const found = new Map<Cell, number>()
  const words = commands.map((text) => text.split(' '))
  const numbers = (kind: string): number[][] => words.filter(([name]) => name === kind).map(([, ...rest]) => rest.map(Number))
  for (const [from, to, strength] of numbers('LINE')) for (const cell of lineFrom(from!, to!, init)) found.set(cell, strength!)
  for (const [cell, strength] of numbers('BEACON')) found.set(cell!, strength!)
  return [...found]
}

// --- Ways ---------------------------------------------------------------------------------------------------------

function nearestBase(cell: Cell, { seat, header: { init } }: AskedAnts): Cell {
  const steps = stepsTo(cell, init)
  return init.bases[seat]!.reduce((best, base) => (steps[base]! < steps[best]! ? base : best))
}

/** Cell -> steps to this one. */
function stepsTo(end: Cell, init: Init): number[] {
  const near = neighbours(init)
  const steps = init.cells.map(() => Infinity)
  steps[end] = 0
  for (let ring = [end]; ring.length > 0; ) {
    const next: Cell[] = []
    for (const cell of ring) {
      for (const other of near[cell]!) {
        if (steps[other] !== Infinity) continue
        steps[other] = steps[cell]! + 1
        next.push(other)
      }
    }
    ring = next
  }
  return steps
}

/** The cells of a LINE, as the rules choose among the shortest: always the lowest cell that is nearer. */
export function lineFrom(start: Cell, end: Cell, init: Init): Cell[] {
  const steps = stepsTo(end, init)
  const near = neighbours(init)
  if (steps[start] === Infinity) return []
  const line = [start]
  for (let left = steps[start]! - 1; left >= 0; left--) {
    line.push(Math.min(...near[line.at(-1)!]!.filter((cell) => steps[cell] === left)))
  }
  return line
}
