/*
 * How TryAngle Catch looks: houses on paths, units as their seat's shape with a count, triangles in their owner's colour.
 * Each turn is shown stage by stage, in the order in which the rules carry it out.
 */
import {
  alpha,
  ease,
  mix,
  playerShape,
  type Box,
  type GameViewer,
  type Header,
  type Theme,
  type Tip,
  type View,
} from '$viewer/game'
import {
  curve,
  linkable,
  marks,
  neighboursOf,
  ownerOf,
  SEATS,
  stages,
  start,
  step,
  trianglesOf,
  unitsOf,
  type Board,
  type Corners,
  type House,
  type Init,
  type Path,
  type Seat,
  type Stage,
  type State,
  type Triangle,
  type TryFrame,
} from './state'

type Canvas = CanvasRenderingContext2D
type Point = [x: number, y: number]
type TryView = View<Init, TryFrame, State>

/** How long a stage lasts beside the others of its turn. */
const LENGTH: Record<Stage['kind'], number> = { attack: 1.1, move: 1.5, spawn: 0.9, path: 0.9, kill: 0.9, capture: 0.8 }
/** Room around the outermost houses; above and below there are words. */
const MARGIN = 75
const ROOM_FOR_WORDS = 105
/** Houses and units grow beyond their world size where they would be smaller than this zoom makes them. */
const LEAST_ZOOM = 0.5
const MOST_GROWTH = 1.7
/** The part of a stage after which its effect shows in the counts. */
const HALF = 0.55
const FULL_TURN = 2 * Math.PI

const viewer: GameViewer<Init, TryFrame, State> = {
  rate: 1.4,
  layers: {
    may: { label: 'Who may capture', on: true },
    owners: { label: 'House owners', on: true },
    messages: { label: 'Messages', on: true },
    numbers: { label: 'House numbers', on: false },
    linkable: { label: 'Possible paths', on: false },
  },

  start,
  step,
  bounds,
  draw,
  hud: drawMessages,
  hit,

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

// --- Places -------------------------------------------------------------------------------------------------------

function bounds({ init }: Header<Init>): Box {
  const xs = init.houses.map(([x]) => x)
  const ys = init.houses.map(([, y]) => y)
  const [x, y] = [Math.min(...xs) - MARGIN, Math.min(...ys) - ROOM_FOR_WORDS]
  return { x, y, w: Math.max(...xs) + MARGIN - x, h: Math.max(...ys) + ROOM_FOR_WORDS - y }
}

const middle = ({ houses }: Init, corners: Corners): Point => [
  corners.reduce((sum, corner) => sum + houses[corner]![0], 0) / 3,
  corners.reduce((sum, corner) => sum + houses[corner]![1], 0) / 3,
]

const towards = ([x1, y1]: Point, [x2, y2]: Point, k: number): Point => [x1 + (x2 - x1) * k, y1 + (y2 - y1) * k]

const maps = new WeakMap<Path[], House[][]>()

function neighboursIn({ paths }: Board, { houses }: Init): House[][] {
  const known = maps.get(paths) ?? neighboursOf(paths, houses.length)
  maps.set(paths, known)
  return known
}

// --- The moment to be drawn ---------------------------------------------------------------------------------------

/** What the parts of the picture share. */
interface Picture {
  canvas: Canvas
  view: TryView
  init: Init
  theme: Theme
  /** The board before the stage that is on, and after it; both the same at rest. */
  board: Board
  after: Board
  stage: Stage | null
  /** How far the stage is, 0 to 1. */
  done: number
  /** How much larger than in the world things are. */
  grow: number
}

function pictureOf(canvas: Canvas, view: TryView): Picture {
  const { header, theme, zoom, a, k, next } = view
  const grow = Math.max(1, Math.min(MOST_GROWTH, LEAST_ZOOM / zoom))
  const still = { canvas, view, init: header.init, theme, board: a, after: a, stage: null, done: 0, grow }
  if (k === 0 || !next) return still
  const all = stages(a, next)
  const sum = all.reduce((total, stage) => total + LENGTH[stage.kind], 0)
  let left = k * sum
  let board: Board = a
  for (const stage of all) {
    const length = LENGTH[stage.kind]
    if (left < length) return { ...still, board, after: stage.after, stage, done: left / length }
    left -= length
    board = stage.after
  }
  return { ...still, board, after: board }
}

function draw(canvas: Canvas, view: TryView): void {
  const picture = pictureOf(canvas, view)
  canvas.textAlign = 'center'
  canvas.textBaseline = 'middle'
  canvas.lineJoin = 'round'
  canvas.lineCap = 'round'
  drawTriangles(picture)
  if (view.layers.linkable) drawLinkable(picture)
  drawPaths(picture)
  drawHover(picture)
  drawHouses(picture)
  drawUnits(picture)
  drawStage(picture)
}

// --- Triangles ----------------------------------------------------------------------------------------------------

/** A triangle's path, smaller than itself by a part, so that neighbours can be told apart. */
function trianglePath({ canvas, init }: Picture, corners: Corners, size: number): void {
  const centre = middle(init, corners)
  canvas.beginPath()
  for (const corner of corners) canvas.lineTo(...towards(centre, init.houses[corner]!, size))
  canvas.closePath()
}

const TRIANGLE_SIZE = 0.9

/** Those of the stage that is on: captured ones fill up, used ones drain. */
function drawTriangles(picture: Picture): void {
  const { board, after, stage, done } = picture
  const captured = new Set(stage?.kind === 'capture' ? stage.captured.map(({ corners }) => String(corners)) : [])
  const later = new Map(after.triangles.map((triangle) => [String(triangle.corners), triangle]))
  for (const triangle of board.triangles) {
    const next = later.get(String(triangle.corners))
    const leaving = stage !== null && (next?.owner ?? null) !== triangle.owner
    if (triangle.owner !== null) fillTriangle(picture, triangle, TRIANGLE_SIZE, leaving ? 1 - done : 1)
    if (next && captured.has(String(triangle.corners))) fillTriangle(picture, next, TRIANGLE_SIZE * ease(done), 1)
    drawSign(picture, done < HALF || !next ? triangle : next, next ? 1 : 1 - done)
  }
  const before = new Set(board.triangles.map(({ corners }) => String(corners)))
  for (const triangle of after.triangles) {
    if (!before.has(String(triangle.corners))) drawSign(picture, triangle, done)
  }
}

function fillTriangle(picture: Picture, { corners, owner }: Triangle, size: number, opacity: number): void {
  const { canvas, theme } = picture
  const colour = theme.players[owner!]!
  trianglePath(picture, corners, size)
  canvas.fillStyle = alpha(colour, (theme.dark ? 0.32 : 0.27) * opacity)
  canvas.fill()
  canvas.lineWidth = 2.5
  canvas.strokeStyle = alpha(colour, 0.75 * opacity)
  canvas.stroke()
}

/** In the middle: the owner's shape, or hollow shapes of those who may capture, or a dash when nobody may. */
function drawSign({ canvas, view, init, theme, grow }: Picture, { corners, owner, may }: Triangle, opacity: number): void {
  const [x, y] = middle(init, corners)
  const radius = 9 * grow
  if (owner !== null) {
    playerShape(canvas, owner, x, y, radius)
    canvas.fillStyle = alpha(theme.players[owner]!, opacity)
    canvas.fill()
    return
  }
  if (!view.layers.may) return
  const allowed = SEATS.filter((seat) => may[seat])
  canvas.lineWidth = 2.2 * grow
  allowed.forEach((seat, i) => {
    const aside = allowed.length > 1 ? (i === 0 ? -radius : radius) : 0
    playerShape(canvas, seat, x + aside, y, radius * (allowed.length > 1 ? 0.55 : 0.85))
    canvas.strokeStyle = alpha(theme.players[seat]!, (allowed.length > 1 ? 0.6 : 1) * opacity)
    canvas.stroke()
  })
  if (allowed.length > 0) return
  canvas.strokeStyle = alpha(theme.soft, 0.8 * opacity)
  canvas.beginPath()
  canvas.moveTo(x - radius * 0.6, y)
  canvas.lineTo(x + radius * 0.6, y)
  canvas.stroke()
}

// --- Paths --------------------------------------------------------------------------------------------------------

function line(canvas: Canvas, from: Point, to: Point): void {
  canvas.beginPath()
  canvas.moveTo(...from)
  canvas.lineTo(...to)
  canvas.stroke()
}

function drawPaths({ canvas, init, theme, board, stage, done }: Picture): void {
  const changing = new Map(stage?.kind === 'path' ? stage.changes.map((change) => [String(change.path), change]) : [])
  const plain = mix(theme.line, theme.soft, 0.55)
  canvas.lineWidth = 4
  for (const path of board.paths) {
    canvas.strokeStyle = changing.has(String(path)) ? alpha(plain, 1 - done) : plain
    line(canvas, init.houses[path[0]]!, init.houses[path[1]]!)
  }
  for (const { seat, path, added } of changing.values()) {
    const [from, to] = [init.houses[path[0]]!, init.houses[path[1]]!]
    const centre = towards(from, to, 0.5)
    const reach = added ? ease(done) : 1 - ease(done)
    canvas.lineWidth = 7
    canvas.strokeStyle = theme.players[seat]!
    canvas.setLineDash(added ? [] : [14, 14])
    line(canvas, towards(centre, from, reach), towards(centre, to, reach))
    canvas.setLineDash([])
  }
}

const possible = new WeakMap<Path[], Path[]>()

function drawLinkable({ canvas, init, theme, board }: Picture): void {
  const found = possible.get(board.paths) ?? linkable(init, board.paths)
  possible.set(board.paths, found)
  canvas.lineWidth = 1.5
  canvas.strokeStyle = alpha(theme.soft, 0.6)
  canvas.setLineDash([3, 9])
  for (const [a, b] of found) line(canvas, init.houses[a]!, init.houses[b]!)
  canvas.setLineDash([])
}

function drawHover(picture: Picture): void {
  const { canvas, init, theme, board, view } = picture
  if (!view.hover) return
  const house = houseAt(view, ...view.hover)
  canvas.strokeStyle = theme.ink
  canvas.lineWidth = 4
  if (house !== null) {
    for (const next of neighboursIn(board, init)[house]!) line(canvas, init.houses[house]!, init.houses[next]!)
    return
  }
  const triangle = triangleAt(view, ...view.hover)
  if (!triangle) return
  trianglePath(picture, triangle.corners, TRIANGLE_SIZE)
  canvas.lineWidth = 2.5
  canvas.stroke()
}

// --- Houses and units ---------------------------------------------------------------------------------------------

function drawHouses({ canvas, init, theme, board, view, grow }: Picture): void {
  const neighbours = neighboursIn(board, init)
  init.houses.forEach(([x, y], house) => {
    const owner = view.layers.owners ? ownerOf(board, house, neighbours[house]!) : null
    const colour = owner && theme.players[owner.seat]!
    canvas.beginPath()
    for (const [dx, dy] of HOUSE) canvas.lineTo(x + dx * grow, y + dy * grow)
    canvas.closePath()
    canvas.fillStyle = colour ? mix(theme.raise, colour, 0.3) : theme.raise
    canvas.fill()
    canvas.lineWidth = (colour ? 3 : 2) * grow
    canvas.strokeStyle = colour ?? mix(theme.soft, theme.raise, 0.25)
    canvas.stroke()
    if (!view.layers.numbers) return
    canvas.font = `600 ${15 * grow}px ${theme.mono}`
    label(canvas, theme, String(house), x, y - 36 * grow, theme.ink)
  })
}

/** A house's outline, its middle at 0, 0. */
const HOUSE: Point[] = [
  [-23, -3],
  [0, -24],
  [23, -3],
  [17, -3],
  [17, 20],
  [-17, 20],
  [-17, -3],
]

/** Text with a rim, to be read on anything. */
function label(canvas: Canvas, theme: Theme, text: string, x: number, y: number, colour: string): void {
  canvas.lineWidth = 5
  canvas.strokeStyle = theme.sink
  canvas.fillStyle = colour
  canvas.strokeText(text, x, y)
  canvas.fillText(text, x, y)
}

/** Where a seat's units stand: below the roof, aside when both seats are there. */
function unitsPlace({ init, board, after, grow }: Picture, house: House, seat: Seat): Point {
  const [x, y] = init.houses[house]!
  const other = 1 - seat
  const shared = board.units[other]![house]! > 0 || after.units[other]![house]! > 0
  return [x + (shared ? (seat === 0 ? -18 : 18) * grow : 0), y + 8 * grow]
}

function drawUnits(picture: Picture): void {
  const { board, after, stage, done } = picture
  const moving = stage?.kind === 'move'
  for (const seat of SEATS) {
    const units = [...(done < HALF || moving ? board : after).units[seat]!]
    if (moving) for (const walk of stage.walks) if (walk.seat === seat) units[walk.from]! -= walk.units
    units.forEach((count, house) => {
      if (count > 0) drawChip(picture, seat, unitsPlace(picture, house, seat), count)
    })
  }
  if (!moving) return
  for (const { seat, from, to, units } of stage.walks) {
    const at = towards(unitsPlace(picture, from, seat), unitsPlace(picture, to, seat), ease(done))
    drawChip(picture, seat, at, units, 0.88)
  }
}

function drawChip({ canvas, theme, grow }: Picture, seat: Seat, [x, y]: Point, count: number, size = 1): void {
  const radius = (14 + Math.min(5, Math.log2(count) * 1.5)) * grow * size
  playerShape(canvas, seat, x, y, radius)
  canvas.fillStyle = theme.players[seat]!
  canvas.fill()
  canvas.lineWidth = 2.5 * grow
  canvas.strokeStyle = theme.raise
  canvas.stroke()
  canvas.fillStyle = theme.onPlayer
  canvas.font = `700 ${radius * (count > 9 ? 1 : 1.2)}px ${theme.mono}`
  canvas.fillText(String(count), x, y + radius * 0.06)
}

// --- What happens -------------------------------------------------------------------------------------------------

function drawStage(picture: Picture): void {
  const { stage, init, done, theme } = picture
  if (stage?.kind === 'attack') {
    for (const { seat, triangle, house, killed } of stage.attacks) {
      drawBeams(picture, seat, triangle, house)
      drawLoss(picture, house, killed, theme.players[seat]!)
    }
  } else if (stage?.kind === 'spawn') {
    for (const { seat, triangle, house } of stage.spawns) {
      const way = Math.min(1, done / HALF)
      const at = towards(middle(init, triangle.corners), unitsPlace(picture, house, seat), ease(way))
      if (way < 1) drawChip(picture, seat, at, 1, 0.5 + 0.4 * way)
      else drawRing(picture, house, theme.players[seat]!, (done - HALF) / (1 - HALF))
    }
  } else if (stage?.kind === 'kill') {
    for (const { seat, house, units } of stage.kills) drawLoss(picture, house, units, theme.players[1 - seat]!)
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

/** Units that are killed: a ring in the colour of who kills, and their number, rising. */
function drawLoss(picture: Picture, house: House, units: number, colour: string): void {
  const { canvas, init, theme, done, grow } = picture
  if (done < HALF) return
  const way = (done - HALF) / (1 - HALF)
  drawRing(picture, house, colour, way)
  if (units === 0) return
  const [x, y] = init.houses[house]!
  canvas.globalAlpha = 1 - way * way
  canvas.font = `750 ${26 * grow}px ${theme.mono}`
  label(canvas, theme, `−${units}`, x, y - (28 + way * 26) * grow, theme.bad)
  canvas.globalAlpha = 1
}

function drawRing({ canvas, init, grow }: Picture, house: House, colour: string, way: number): void {
  const [x, y] = init.houses[house]!
  canvas.beginPath()
  canvas.arc(x, y, (22 + 30 * way) * grow, 0, FULL_TURN)
  canvas.lineWidth = 5 * grow * (1 - way) + 1
  canvas.strokeStyle = alpha(colour, 1 - way)
  canvas.stroke()
}

// --- Tooltip ------------------------------------------------------------------------------------------------------

function houseAt({ header, zoom }: TryView, x: number, y: number): House | null {
  const reach = Math.max(34, 14 / zoom)
  let best: House | null = null
  let nearest = reach
  header.init.houses.forEach(([hx, hy], house) => {
    const distance = Math.hypot(hx - x, hy - y)
    if (distance < nearest) [nearest, best] = [distance, house]
  })
  return best
}

function triangleAt({ a, header }: TryView, x: number, y: number): Triangle | null {
  const side = ([x1, y1]: Point, [x2, y2]: Point): boolean => (x2 - x1) * (y - y1) > (y2 - y1) * (x - x1)
  const found = a.triangles.find(({ corners }) => {
    const [p, q, r] = corners.map((corner) => header.init.houses[corner]!) as [Point, Point, Point]
    return side(p, q) === side(q, r) && side(q, r) === side(r, p)
  })
  return found ?? null
}

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

// --- Messages, in CSS pixels so that they can always be read ------------------------------------------------------

const MESSAGE_TEXT = 50
/** Narrower stages, such as the cards of games, have no space for text. */
const ROOM_FOR_MESSAGES = 260

/** Each seat's on its own side of the foot of the board. */
function drawMessages(canvas: Canvas, view: TryView): void {
  if (!view.layers.messages || view.width < ROOM_FOR_MESSAGES) return
  const { theme, width, height } = view
  const messages = (view.k > 0 ? view.next : view.frame)?.msg ?? []
  canvas.font = `600 13px ${theme.font}`
  canvas.textBaseline = 'middle'
  canvas.textAlign = 'left'
  messages.forEach((message, seat) => {
    if (!message) return
    const text = message.length > MESSAGE_TEXT ? `${message.slice(0, MESSAGE_TEXT)}…` : message
    const w = Math.min(width - 24, canvas.measureText(text).width + 40)
    const both = messages.every(Boolean) && width < 2 * w
    const x = seat === 0 ? 12 : width - w - 12
    const y = height - 38 - (both && seat === 0 ? 32 : 0)
    canvas.beginPath()
    canvas.roundRect(x, y, w, 26, 6)
    canvas.fillStyle = theme.raise
    canvas.fill()
    canvas.lineWidth = 2
    canvas.strokeStyle = theme.players[seat]!
    canvas.stroke()
    playerShape(canvas, seat, x + 16, y + 13, 5)
    canvas.fillStyle = theme.players[seat]!
    canvas.fill()
    canvas.fillStyle = theme.ink
    canvas.fillText(text, x + 29, y + 14, w - 38)
  })
}
