/*
 * TryAngle Catch in person. Units: click a house, then where they go. Triangles: click one of yours, near the corner
 * that is meant, then the house that is aimed at. What a command would cost is taken off at once, so that only commands
 * that the rules accept can be clicked.
 */
import { alpha, type Ask, type Asked, type Input, type View } from '$viewer/game'
import { middle, neighboursIn, towards, type Point } from './picture'
import { linkable, type Corners, type House, type Init, type State, type Triangle, type TryFrame } from './state'

type Canvas = CanvasRenderingContext2D
type AskedTry = Asked<Init, State>
type ViewTry = View<Init, TryFrame, State>

/** As the protocol writes them. */
const TOOLS = [
  { id: 'MOVE', label: 'Move', from: 1 },
  { id: 'SPAWN', label: 'New unit', from: 1 },
  { id: 'ATTACK', label: 'Attack', from: 2 },
  { id: 'ADD_PATH', label: 'Add path', from: 3 },
  { id: 'REMOVE_PATH', label: 'Remove path', from: 3 },
]
const REACH = 95
/** Where a corner of a triangle is clicked: so far from the house to the middle. */
const INSIDE = 0.4

export const ask: Ask<Init, TryFrame, State> = {
  prompt,
  example: () => 'MOVE 4 7 1;SPAWN 0 2 5',
  pass: 'WAIT',
  tools: ({ header }) => TOOLS.filter(({ from }) => from <= header.league),
  point(input, at, asked) {
    if (input.tool === 'MOVE') return pointMove(input, houseNear(at, asked), asked)
    if (input.picked.length === 3) return pointTarget(input, houseNear(at, asked), asked)
    return pointTriangle(input, at, asked)
  },
  places(input, asked) {
    const { houses } = asked.header.init
    if (input.tool === 'MOVE' || input.picked.length === 3) return [...targets(input, asked)].map((house) => houses[house]!)
    return usable(input, asked).flatMap(({ corners }) => corners.map((corner) => spot(corner, corners, asked)))
  },
  draw,
}

function prompt(input: Input, asked: AskedTry): string {
  const [first] = input.picked
  if (input.tool === 'MOVE') {
    if (first === undefined) return 'Your turn: click a house with units of yours, then where they go. Or end the turn.'
    return `Click where a unit of house ${first} goes; again for one more. ${free(input, asked, first)} left here.`
  }
  if (input.picked.length === 3) {
    if (input.tool === 'ATTACK') return 'Click the house to attack, next to a corner.'
    return `Click the house where the path from ${first} ${input.tool === 'ADD_PATH' ? 'leads to' : 'ends'}.`
  }
  if (usable(input, asked).length === 0) {
    return input.tool === 'SPAWN' ? 'You have no triangle for a new unit.' : 'You have no triangle with a free unit on each corner.'
  }
  if (input.tool === 'SPAWN') return 'Click a triangle of yours, near the corner for the new unit.'
  return input.tool === 'ATTACK' ? 'Click a triangle of yours to attack with.' : 'Click a triangle of yours, near the corner where the path begins.'
}

// --- What was entered ---------------------------------------------------------------------------------------------

interface Order {
  kind: string
  numbers: number[]
}

const ordersOf = ({ commands }: Input): Order[] =>
  commands.map((text) => {
    const [kind, ...words] = text.split(' ')
    return { kind: kind!, numbers: words.map(Number) }
  })

/** Units of the person on a house that no command uses yet. */
function free(input: Input, { state, seat }: AskedTry, house: House): number {
  const used = ordersOf(input).map(({ kind, numbers: [a, b, c] }) => {
    if (kind === 'MOVE') return a === house ? c! : 0
    return kind !== 'SPAWN' && (a === house || b === house || c === house) ? 1 : 0
  })
  return state.units[seat]![house]! - used.reduce<number>((sum, count) => sum + count, 0)
}

const sameCorners = (a: readonly number[], b: readonly number[]): boolean => [...a].sort().join() === [...b].sort().join()

/** The person's triangles that no command uses yet, and that the tool can be paid with. */
function usable(input: Input, asked: AskedTry): Triangle[] {
  const spent = ordersOf(input).filter(({ kind }) => kind !== 'MOVE')
  return asked.state.triangles.filter(
    ({ owner, corners }) =>
      owner === asked.seat &&
      !spent.some(({ numbers }) => sameCorners(numbers.slice(0, 3), corners)) &&
      (input.tool === 'SPAWN' || corners.every((corner) => free(input, asked, corner) > 0)),
  )
}

/** The houses that a click can mean now. */
function targets(input: Input, asked: AskedTry): Set<House> {
  const { state, header } = asked
  const all = header.init.houses.map((_, house) => house)
  const near = neighboursIn(state, header.init)
  const [first] = input.picked
  if (first === undefined) return new Set(all.filter((house) => free(input, asked, house) > 0))
  if (input.tool === 'MOVE') return new Set(all)
  if (input.tool === 'ATTACK') return new Set(input.picked.flatMap((corner) => near[corner]!))
  if (input.tool === 'REMOVE_PATH') return new Set(near[first]!.filter((house) => !input.picked.includes(house)))
  return new Set(linkable(header.init, state.paths).flatMap(([a, b]) => (a === first ? [b] : b === first ? [a] : [])))
}

// --- Clicks -------------------------------------------------------------------------------------------------------

function houseNear([x, y]: Point, { header }: AskedTry): House | null {
  let best: House | null = null
  let nearest = REACH
  header.init.houses.forEach(([hx, hy], house) => {
    const distance = Math.hypot(hx - x, hy - y)
    if (distance < nearest) [nearest, best] = [distance, house]
  })
  return best
}

function pointMove(input: Input, house: House | null, asked: AskedTry): Input {
  const [from] = input.picked
  if (house === null) return input
  if (from === undefined) return targets(input, asked).has(house) ? { ...input, picked: [house] } : input
  if (house === from) return { ...input, picked: [] }
  const known = ordersOf(input).findIndex(({ kind, numbers }) => kind === 'MOVE' && numbers[0] === from && numbers[1] === house)
  const before = known < 0 ? 0 : ordersOf(input)[known]!.numbers[2]!
  const command = `MOVE ${from} ${house} ${before + 1}`
  const commands = known < 0 ? [...input.commands, command] : input.commands.map((one, at) => (at === known ? command : one))
  const next = { ...input, commands }
  return { ...next, picked: free(next, asked, from) > 0 ? [from] : [] }
}

function pointTriangle(input: Input, at: Point, asked: AskedTry): Input {
  const triangle = usable(input, asked).find(({ corners }) => isInside(at, corners, asked))
  if (!triangle) return input
  const corners = cornerFirst(at, triangle.corners, asked)
  if (input.tool === 'SPAWN') return { ...input, commands: [...input.commands, `SPAWN ${corners.join(' ')}`] }
  return { ...input, picked: corners }
}

function pointTarget(input: Input, house: House | null, asked: AskedTry): Input {
  if (house === null || !targets(input, asked).has(house)) return input
  return { ...input, picked: [], commands: [...input.commands, `${input.tool} ${input.picked.join(' ')} ${house}`] }
}

function isInside([x, y]: Point, corners: Corners, { header }: AskedTry): boolean {
  const side = ([x1, y1]: Point, [x2, y2]: Point): boolean => (x2 - x1) * (y - y1) > (y2 - y1) * (x - x1)
  const [p, q, r] = corners.map((corner) => header.init.houses[corner]!) as [Point, Point, Point]
  return side(p, q) === side(q, r) && side(q, r) === side(r, p)
}

/** The corners, the nearest to the point first. */
function cornerFirst([x, y]: Point, corners: Corners, { header }: AskedTry): Corners {
  const distance = (corner: House): number => Math.hypot(header.init.houses[corner]![0] - x, header.init.houses[corner]![1] - y)
  return [...corners].sort((a, b) => distance(a) - distance(b)) as Corners
}

const spot = (corner: House, corners: Corners, { header: { init } }: AskedTry): Point =>
  towards(init.houses[corner]!, middle(init, corners), INSIDE)

// --- Picture ------------------------------------------------------------------------------------------------------

function draw(canvas: Canvas, input: Input, asked: AskedTry, view: ViewTry): void {
  const colour = view.theme.players[asked.seat]!
  canvas.save()
  canvas.strokeStyle = colour
  canvas.lineCap = 'round'
  if (input.tool === 'MOVE' || input.picked.length === 3) drawTargets(canvas, input, asked, view)
  else for (const { corners } of usable(input, asked)) drawUsable(canvas, corners, asked, view, colour)
  for (const order of ordersOf(input)) drawOrder(canvas, order, asked, view)
  canvas.restore()
}

function ring(canvas: Canvas, [x, y]: Point, radius: number, width: number): void {
  canvas.beginPath()
  canvas.arc(x, y, radius, 0, 2 * Math.PI)
  canvas.lineWidth = width
  canvas.stroke()
}

function drawTargets(canvas: Canvas, input: Input, asked: AskedTry, view: ViewTry): void {
  const { houses } = asked.header.init
  const found = targets(input, asked)
  const under = view.hover && houseNear(view.hover, asked)
  const aiming = input.picked.length > 0
  if (input.tool !== 'MOVE' || !aiming) for (const house of found) ring(canvas, houses[house]!, 40, 4)
  for (const house of input.picked) ring(canvas, houses[house]!, 46, 9)
  if (under === null || !found.has(under)) return
  ring(canvas, houses[under]!, 46, 6)
  if (aiming) arrow(canvas, houses[input.picked[0]!]!, houses[under]!, [16, 14])
}

function drawUsable(canvas: Canvas, corners: Corners, asked: AskedTry, view: ViewTry, colour: string): void {
  const { init } = asked.header
  trianglePath(canvas, corners, init)
  canvas.lineWidth = 6
  canvas.stroke()
  if (!view.hover || !isInside(view.hover, corners, asked)) return
  canvas.fillStyle = alpha(colour, 0.3)
  canvas.fill()
  ring(canvas, spot(cornerFirst(view.hover, corners, asked)[0], corners, asked), 14, 8)
}

function trianglePath(canvas: Canvas, corners: readonly House[], { houses }: Init): void {
  canvas.beginPath()
  for (const corner of corners) canvas.lineTo(...houses[corner]!)
  canvas.closePath()
}

/** A command that was entered: an arrow with its units, or the triangle that pays and what it aims at. */
function drawOrder(canvas: Canvas, { kind, numbers }: Order, asked: AskedTry, view: ViewTry): void {
  const { init } = asked.header
  const [from, to, amount] = numbers as [number, number, number]
  if (kind === 'MOVE') {
    arrow(canvas, init.houses[from]!, init.houses[to]!, [])
    write(canvas, view, `${amount}`, towards(init.houses[from]!, init.houses[to]!, 0.4))
    return
  }
  const corners = numbers.slice(0, 3) as Corners
  trianglePath(canvas, corners, init)
  canvas.lineWidth = 10
  canvas.stroke()
  const target = numbers[3]
  if (target !== undefined) arrow(canvas, init.houses[from]!, init.houses[target]!, [16, 14])
  write(canvas, view, kind === 'SPAWN' ? '+1' : kind.split('_')[0]!, kind === 'SPAWN' ? spot(from, corners, asked) : middle(init, corners))
}

function write(canvas: Canvas, { theme }: ViewTry, text: string, [x, y]: Point): void {
  canvas.font = `700 30px ${theme.font}`
  canvas.textAlign = 'center'
  canvas.textBaseline = 'middle'
  canvas.lineWidth = 8
  const colour = canvas.strokeStyle
  canvas.strokeStyle = theme.raise
  canvas.strokeText(text, x, y)
  canvas.strokeStyle = colour
  canvas.fillStyle = theme.ink
  canvas.fillText(text, x, y)
}

const HEAD = 26
const SHORT = 42

function arrow(canvas: Canvas, from: Point, to: Point, dashes: number[]): void {
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0])
  const [x, y] = [to[0] - SHORT * Math.cos(angle), to[1] - SHORT * Math.sin(angle)]
  canvas.lineWidth = 7
  canvas.setLineDash(dashes)
  canvas.beginPath()
  canvas.moveTo(...from)
  canvas.lineTo(x, y)
  canvas.stroke()
  canvas.setLineDash([])
  canvas.beginPath()
  for (const turn of [-0.5, 0, 0.5]) {
    const reach = turn === 0 ? 0 : HEAD
    canvas.lineTo(x - reach * Math.cos(angle + turn), y - reach * Math.sin(angle + turn))
  }
  canvas.stroke()
}
