/* One sentence about the position: over the board, and for screen readers. */
import type { Header } from '$viewer/game'
import { verdict, type Point, type Seat, type State } from './state'
import { threatsOf } from './threats'

export interface Caption {
  seat: Seat
  text: string
}

/** What a viewer should know now, or null. Coordinates are as bots write them. */
export function caption(state: State, { players }: Header): Caption | null {
  const name = (seat: Seat): string => players[seat]?.bot ?? 'A bot'
  const { bad, line, last } = state
  if (bad) return { seat: bad.seat, text: `${name(bad.seat)} made no move: ${bad.why}` }
  if (line) return { seat: line.seat, text: `${name(line.seat)}: ${verdict(line.places)}` }
  if (last?.stolen) return { seat: last.seat, text: `${name(last.seat)} steals the first stone` }
  const { wins, losses, mover, forced } = threatsOf(state)
  if (wins[mover]!.length > 0) return { seat: mover, text: `${name(mover)} can win at ${listed(wins[mover]!)}` }
  if (forced.length > 1) return { seat: mover, text: `${name(mover)} cannot stop both ${listed(forced)}` }
  if (forced.length === 0) return null
  const threes = losses[mover]!.some(([x, y]) => x === forced[0]![0] && y === forced[0]![1])
  return { seat: mover, text: `${name(mover)} must play ${listed(forced)}${threes ? ', and makes a three' : ''}` }
}

const listed = (places: Point[]): string => places.map(([x, y]) => `${x} ${y}`).join(' and ')
