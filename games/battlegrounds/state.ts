/*
 * Reads a Battlegrounds replay, turn by turn: the viewer plays Life itself, and compares its count of live cells
 * with the referee's. docs/replay-format.md describes the frames.
 */
import { teamOf, type Box, type Frame, type Header, type Mark } from '$viewer/game'
import { agesOf, count, generation, OLDEST, setCell, unpack, type Cells } from './life'

export type Seat = number
export type Point = [x: number, y: number]

/** `chute`, `start`, `main`: turns of parachuting, of the starting phase, and of Life at most. */
export interface Init {
  size: number
  grid: string
  chute: number
  start: number
  main: number
}

/** Everything but `pop` only where there is any. */
export interface BattleFrame extends Frame {
  /** Where bots want to land; null for one that takes its choice back. */
  aim?: [seat: Seat, x: number | null, y: number | null][]
  /** Where they landed. */
  land?: [seat: Seat, x: number, y: number][]
  /** Up to three actions that took effect, in the bots' order: 1 to 9 a step, -1 to -9 a cell built, 0 nothing. */
  a?: [seat: Seat, ...actions: number[]][]
  /** Bots carried into a cell that was born. */
  mv?: [seat: Seat, x: number, y: number][]
  hp?: [seat: Seat, hp: number][]
  /** Bots removed for a fault. */
  rm?: Seat[]
  /** The middle of the red zone, and for how many turns it has been there. */
  z?: [x: number, y: number, age: number]
  /** Cells that the red zone's gliders made live. */
  g?: Point[]
  c?: [seat: Seat, message: string][]
  /** Live cells after the turn, bots included. */
  pop: number
  /** All of the board after the turn; `grid` includes the bots' cells. */
  k?: { grid: string; bots: ([x: number, y: number, hp: number] | null)[] }
}

/** A bot that has landed; with 0 hp it is dead, and lies where it fell. */
export interface Bot {
  x: number
  y: number
  hp: number
  diedAt?: number
}

/** `bots`, `aims`, `said`: for each seat; `said` the last message; `drift`: since when the count has been wrong. */
export interface State {
  turn: number
  /** Neutral cells; a bot's own cell is none. */
  cells: Cells
  /** The boards of the turns before, as many as ages need, the newest first. */
  trail: Cells[]
  bots: (Bot | null)[]
  aims: (Point | null)[]
  said: ({ text: string; turn: number } | null)[]
  alive: number
  drift: number | null
}

export const FULL_HP = 4
/** How far a direction goes, as on a phone's keys: 1 is up left, 9 down right. */
export const DX = [0, -1, 0, 1, -1, 0, 1, -1, 0, 1]
export const DY = [0, -1, -1, -1, 0, 0, 0, 1, 1, 1]
const MESSAGES: Record<string, string> = {
  1: 'Help!',
  2: 'Wait!',
  3: 'Need healing!',
  4: 'Come here',
  5: 'Enemies are nearby',
  6: 'I’ll fight',
  7: 'I’ll build',
  8: 'Boats: search or build',
  9: 'Get in the boat',
  10: 'Exit the glider',
}

export const messageText = (message: string): string => MESSAGES[message] ?? message
/** The number of a bot in its team. */
export const botNumber = (header: Header, seat: Seat): number => 2 + (seat % (header.team_seats ?? 1))
export const wrap = (value: number, size: number): number => ((value % size) + size) % size
export const isLanded = ({ init }: Header<Init>, turn: number): boolean => turn > init.chute
/** Generations of Life after a turn. */
export const generationsAt = ({ init }: Header<Init>, turn: number): number =>
  Math.max(0, turn - 1 - init.chute - init.start)

export function start({ init, players }: Header<Init>): State {
  const cells = unpack(init.grid, init.size)
  return {
    turn: 0,
    cells,
    trail: [],
    bots: players.map(() => null),
    aims: players.map(() => null),
    said: players.map(() => null),
    alive: count(cells),
    drift: null,
  }
}

export function step(before: State, frame: BattleFrame, header: Header<Init>): State {
  const { size } = header.init
  const bots = before.bots.map((bot) => bot && { ...bot })
  const main = generationsAt(header, frame.t) > 0
  let cells = main ? copied(before.cells) : before.cells.slice()
  for (const seat of frame.rm ?? []) hurt(bots[seat], 0, frame.t)
  for (const [seat, x, y] of frame.land ?? []) {
    bots[seat] = { x, y, hp: FULL_HP }
    setCell(cells, size, x, y, false)
  }
  act(bots, frame, size, (_, action, x, y) => setCell(cells, size, x, y, action < 0))
  if (main) cells = live(cells, bots, frame, size)
  for (const [seat, hp] of frame.hp ?? []) hurt(bots[seat], hp, frame.t)
  for (const [x, y] of frame.g ?? []) setCell(cells, size, x, y, true)
  const alive = count(cells) + living(bots).length
  return {
    turn: frame.t,
    cells,
    trail: trailOf(before),
    bots,
    aims: aimed(before, frame),
    said: heard(before, frame),
    alive,
    drift: before.drift ?? (alive === frame.pop ? null : frame.t),
  }
}

const trailOf = ({ cells, trail }: State): Cells[] => [cells, ...trail.slice(0, OLDEST - 1)]

const known = new WeakMap<State, Int32Array>()

/** The ages of a state's cells. Only what is drawn needs them, so steps do not pay for them. */
export function agesAt(state: State): Int32Array {
  let ages = known.get(state)
  if (!ages) {
    ages = agesOf(state.cells, state.trail)
    known.set(state, ages)
  }
  return ages
}

/** Moves the bots by a frame's actions, round by round. `done` is called with each action and its target. */
export function act(
  bots: (Bot | null)[],
  { a = [] }: BattleFrame,
  size: number,
  done: (seat: Seat, action: number, x: number, y: number, round: number) => void,
): void {
  for (let round = 0; round < 3; round++) {
    for (const [seat, ...actions] of a) {
      const action = actions[round]
      const bot = bots[seat]
      if (!action || !bot) continue
      const x = wrap(bot.x + DX[Math.abs(action)]!, size)
      const y = wrap(bot.y + DY[Math.abs(action)]!, size)
      if (action > 0) [bot.x, bot.y] = [x, y]
      done(seat, action, x, y, round)
    }
  }
}

let work: Cells = new Int32Array(0)

/** A copy that lasts until the next call: a generation is made from it, and nobody keeps it. */
function copied(cells: Cells): Cells {
  if (work.length !== cells.length) work = new Int32Array(cells.length)
  work.set(cells)
  return work
}

/** One generation: bots count as live, but Life does neither kill nor leave a cell where one stands. */
function live(cells: Cells, bots: (Bot | null)[], frame: BattleFrame, size: number): Cells {
  const there = living(bots)
  for (const { x, y } of there) setCell(cells, size, x, y, true)
  const next = generation(cells, size)
  for (const { x, y } of there) setCell(next, size, x, y, false)
  for (const [seat, x, y] of frame.mv ?? []) {
    Object.assign(bots[seat]!, { x, y })
    setCell(next, size, x, y, false)
  }
  return next
}

export function living(bots: (Bot | null)[]): Bot[] {
  return bots.filter((bot) => bot !== null && bot.hp > 0) as Bot[]
}

function hurt(bot: Bot | null | undefined, hp: number, turn: number): void {
  if (!bot || bot.hp === 0) return
  bot.hp = hp
  if (hp === 0) bot.diedAt = turn
}

function aimed({ aims }: State, { aim = [], rm = [], land }: BattleFrame): State['aims'] {
  if (land) return aims.map(() => null)
  if (!aim.length && !rm.length) return aims
  const now = [...aims]
  for (const [seat, x, y] of aim) now[seat] = x === null || y === null ? null : [x, y]
  for (const seat of rm) now[seat] = null
  return now
}

function heard({ said }: State, { c, t }: BattleFrame): State['said'] {
  if (!c?.length) return said
  const now = [...said]
  for (const [seat, message] of c) now[seat] = { text: messageText(message), turn: t }
  return now
}

/** What a frame holds in full; if we went wrong before, that sets it right. */
export function key({ k, t, pop }: BattleFrame, { init, players }: Header<Init>, played?: State): State | null {
  if (!k) return null
  if (played && played.drift === null) return played
  const cells = unpack(k.grid, init.size)
  const bots = k.bots.map((bot, seat): Bot | null => {
    if (bot && bot[2] > 0) return { x: bot[0], y: bot[1], hp: bot[2] }
    const before = played?.bots[seat] ?? null
    return before && { ...before, hp: 0, diedAt: before.diedAt ?? t }
  })
  for (const { x, y } of living(bots)) setCell(cells, init.size, x, y, false)
  return {
    turn: t,
    cells,
    trail: played ? trailOf(played) : [],
    bots,
    aims: played?.aims ?? players.map(() => null),
    said: played?.said ?? players.map(() => null),
    alive: pop,
    drift: null,
  }
}

// --- Where something happens --------------------------------------------------------------------------------------

/** Bots as near as this, in cells, are in one place. */
const NEAR = 40
const ROOM_AROUND = 14

/** The places where bots are, those with the most teams, then the most bots, first. */
export function spots({ bots }: State, header: Header<Init>): Box[] {
  const { size } = header.init
  const places: { box: Box; seats: Seat[] }[] = []
  const left = new Set(bots.flatMap((bot, seat) => (bot?.hp ? [seat] : [])))
  for (const first of left) {
    left.delete(first)
    const box = { x: bots[first]!.x, y: bots[first]!.y, w: 0, h: 0 }
    const seats = [first]
    // Grows while a bot is near; what has been taken in may have others near it.
    for (let found: Seat | undefined = first; found !== undefined; ) {
      found = [...left].find((seat) => seats.some((other) => distance(bots[seat]!, bots[other]!, size) <= NEAR))
      if (found === undefined) continue
      left.delete(found)
      seats.push(found)
      include(box, bots[found]!, size)
    }
    places.push({ box: widened(box, ROOM_AROUND), seats })
  }
  const teams = ({ seats }: { seats: Seat[] }): number => new Set(seats.map((seat) => teamOf(header, seat))).size
  places.sort((a, b) => teams(b) - teams(a) || b.seats.length - a.seats.length)
  return places.map(({ box }) => box)
}

/** The shortest way from one coordinate to another. */
export function shortestOffset(from: number, to: number, size: number): number {
  const ahead = wrap(to - from, size)
  return ahead > size / 2 ? ahead - size : ahead
}

const distance = (a: Bot, b: Bot, size: number): number =>
  Math.max(Math.abs(shortestOffset(a.x, b.x, size)), Math.abs(shortestOffset(a.y, b.y, size)))

/** Grows a box to the nearest copy of a bot's cell. */
function include(box: Box, bot: Bot, size: number): void {
  const dx = shortestOffset(box.x + box.w / 2, bot.x, size) + box.w / 2
  const dy = shortestOffset(box.y + box.h / 2, bot.y, size) + box.h / 2
  box.w = Math.max(box.w, dx) - Math.min(0, dx)
  box.h = Math.max(box.h, dy) - Math.min(0, dy)
  box.x += Math.min(0, dx)
  box.y += Math.min(0, dy)
}

const widened = ({ x, y, w, h }: Box, by: number): Box => ({ x: x - by, y: y - by, w: w + 1 + 2 * by, h: h + 1 + 2 * by })

// --- Figures ------------------------------------------------------------------------------------------------------

/** For each team the sum of `value` over its seats. */
export function perTeam(header: Header<Init>, value: (seat: Seat) => number): number[] {
  const sums: number[] = []
  header.players.forEach((_, seat) => {
    const team = teamOf(header, seat)
    sums[team] = (sums[team] ?? 0) + value(seat)
  })
  return sums
}

/** The hp of each team, before the first turn and after each. */
export function curve(frames: BattleFrame[], header: Header<Init>): number[][] {
  const hp = header.players.map(() => FULL_HP)
  let sums = perTeam(header, (seat) => hp[seat]!)
  const curves = sums.map((sum) => [sum])
  for (const frame of frames) {
    if (frame.hp || frame.rm || frame.t === header.init.chute + 1) {
      for (const seat of notLanded(frame, header)) hp[seat] = 0
      for (const seat of frame.rm ?? []) hp[seat] = 0
      for (const [seat, left] of frame.hp ?? []) hp[seat] = left
      sums = perTeam(header, (seat) => hp[seat]!)
    }
    sums.forEach((sum, team) => curves[team]!.push(sum))
  }
  return curves
}

/** The seats that chose no place, in the turn in which all bots land. */
function notLanded(frame: BattleFrame, header: Header<Init>): Seat[] {
  if (frame.t !== header.init.chute + 1) return []
  const landed = new Set((frame.land ?? []).map(([seat]) => seat))
  return header.players.flatMap((_, seat) => (landed.has(seat) ? [] : [seat]))
}

export function marks(frame: BattleFrame, header: Header<Init>): Mark[] {
  const name = (seat: Seat): string => `${header.players[seat]!.bot}, bot ${botNumber(header, seat)}`
  return [
    ...(frame.land ? [{ label: 'The bots land' }] : []),
    ...(generationsAt(header, frame.t) === 1 ? [{ label: 'Life begins' }] : []),
    ...(frame.z?.[2] === 0 ? [{ label: 'The red zone opens' }] : []),
    ...(frame.rm ?? []).map((seat) => ({ label: `${name(seat)} is removed`, player: seat })),
    ...(frame.hp ?? []).flatMap(([seat, hp]) => (hp === 0 ? [{ label: `${name(seat)} dies`, player: seat }] : [])),
  ]
}
