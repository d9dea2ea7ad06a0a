/*
 * Reads a Yavalath replay: the stones, and what the last move was. replay.md describes the frames.
 */
import type { Frame, Header, Mark } from '$viewer/game'

export type Point = [x: number, y: number]
export type Seat = number

/** A stone at (x, y) by seat p, or, in place of the stone, why its reply was no move. */
export interface YavalathFrame extends Frame {
  p: number
  x?: number
  y?: number
  /** It took the stone that lay there. */
  steal?: true
  /** The line that ends the match: four or more win, three lose. */
  line?: Point[]
  bad?: string
}

export interface Stone {
  seat: Seat
  x: number
  y: number
  turn: number
  stolen: boolean
}

/** `last`: the stone of the newest move, if that was a move. */
export interface State {
  stones: Stone[]
  last: Stone | null
  line: { seat: Seat; places: Point[] } | null
  bad: { seat: Seat; why: string } | null
}

/** y is the row from the top, x the place in the row from the left. */
export const ROW_LENGTHS = [5, 6, 7, 8, 9, 8, 7, 6, 5]
export const WINNING = 4
export const PLACES: Point[] = ROW_LENGTHS.flatMap((length, y) => Array.from({ length }, (_, x): Point => [x, y]))

export const start = (): State => ({ stones: [], last: null, line: null, bad: null })

export function step(before: State, frame: YavalathFrame): State {
  const { p: seat, x, y, t: turn } = frame
  if (x === undefined || y === undefined) {
    return { ...before, last: null, bad: { seat, why: frame.bad ?? 'no move' } }
  }
  const last: Stone = { seat, x, y, turn, stolen: frame.steal === true }
  const others = before.stones.filter((stone) => stone.x !== x || stone.y !== y)
  return { stones: [...others, last], last, line: frame.line ? { seat, places: frame.line } : null, bad: null }
}

export const count = (state: State, seat: number): number => state.stones.filter((stone) => stone.seat === seat).length

export const stones = (count: number): string => `${count} ${count === 1 ? 'stone' : 'stones'}`

/** Of the rules: 1 for who made a line of four, or whose opponent made one of three; −1 for no move. */
export function scoreOf({ line, bad }: State, seat: number): number {
  if (bad) return bad.seat === seat ? -1 : 0
  return line && line.places.length >= WINNING === (line.seat === seat) ? 1 : 0
}

export const verdict = (line: Point[]): string =>
  line.length >= WINNING ? `${line.length} in a row win` : `${line.length} in a row lose`

export function marks(frame: YavalathFrame, { players }: Header): Mark[] {
  const bot = players[frame.p]?.bot ?? 'A bot'
  const found: Mark[] = []
  if (frame.steal) found.push({ label: `${bot} steals the first stone`, player: frame.p })
  if (frame.line) found.push({ label: `${bot}: ${verdict(frame.line)}`, player: frame.p })
  return found
}
