/*
 * Reads a Battlegrounds replay, turn by turn: the viewer plays Life itself, and compares its count of live cells
 * with the referee's. replay.md describes the frames.
 */
import { teamOf, type Header, type Mark } from '$viewer/game'
import { causesOf, happenings, logged, type Happening } from './events'
import {
  botNumber,
  DX,
  DY,
  FULL_HP,
  generationsAt,
  living,
  wrap,
  type BattleFrame,
  type Bot,
  type Init,
  type Point,
  type Seat,
} from './frames'
import { agesOf, count, generation, OLDEST, setCell, unpack, type Cells } from './life'

export * from './frames'

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
  /** The last things that happened, the newest last; those before a jump to a keyframe are not known. */
  log: Happening[]
}

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
    log: [],
  }
}

export function step(before: State, frame: BattleFrame, header: Header<Init>): State {
  const { size } = header.init
  const bots = before.bots.map((bot) => bot && { ...bot })
  const main = generationsAt(header, frame.t) > 0
  let cells = main ? copied(before.cells) : before.cells.slice()
  for (const seat of frame.rm ?? []) hurt(bots[seat], 0, frame.t, 'removed for a fault')
  for (const [seat, x, y] of frame.land ?? []) {
    bots[seat] = { x, y, hp: FULL_HP }
    setCell(cells, size, x, y, false)
  }
  act(bots, frame, size, (_, action, x, y) => setCell(cells, size, x, y, action < 0))
  const causes = causesOf(bots, cells, frame, header)
  if (main) cells = live(cells, bots, frame, size)
  for (const [seat, hp] of frame.hp ?? []) hurt(bots[seat], hp, frame.t, causes.get(seat))
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
    log: logged(before.log, happenings(frame, before.bots, bots, header)),
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

function hurt(bot: Bot | null | undefined, hp: number, turn: number, cause?: string): void {
  if (!bot || bot.hp === 0) return
  bot.hp = hp
  if (hp > 0) return
  bot.diedAt = turn
  if (cause) bot.cause = cause
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
    log: played?.log ?? [],
  }
}

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
