/* The lines of a Battlegrounds replay, the bots in them, and arithmetic on the torus. */
import type { Frame, Header } from '$viewer/game'

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

/** A bot that has landed; with 0 hp it is dead, and lies where it fell. `cause`: why. */
export interface Bot {
  x: number
  y: number
  hp: number
  diedAt?: number
  cause?: string
}

export const FULL_HP = 4
/** How far a direction goes, as on a phone's keys: 1 is up left, 9 down right. */
export const DX = [0, -1, 0, 1, -1, 0, 1, -1, 0, 1]
export const DY = [0, -1, -1, -1, 0, 0, 0, 1, 1, 1]
/** The number of a bot in its team. */
export const botNumber = (header: Header, seat: Seat): number => 2 + (seat % (header.team_seats ?? 1))
export const wrap = (value: number, size: number): number => ((value % size) + size) % size
/** The shortest way from one coordinate to another. */
export function shortestOffset(from: number, to: number, size: number): number {
  const ahead = wrap(to - from, size)
  return ahead > size / 2 ? ahead - size : ahead
}
export const isLanded = ({ init }: Header<Init>, turn: number): boolean => turn > init.chute
/** Generations of Life after a turn. */
export const generationsAt = ({ init }: Header<Init>, turn: number): number =>
  Math.max(0, turn - 1 - init.chute - init.start)

export function living(bots: (Bot | null)[]): Bot[] {
  return bots.filter((bot) => bot !== null && bot.hp > 0) as Bot[]
}
