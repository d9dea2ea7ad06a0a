/* One sentence over the board: who crashed in this turn, or how much room is left once the cycles are apart. */
import type { Header } from '$viewer/game'
import { cells, listed, nameOf, riding, said, type Init, type Seat, type State } from './state'
import { territoryOf } from './territory'

export interface Caption {
  seat: Seat
  text: string
}

/** What somebody who watches should know now, or null. */
export function caption(state: State, header: Header<Init>): Caption | null {
  const now = state.crashes.filter((crash) => crash !== null && crash.turn === state.turn)
  if (now.length > 0) return { seat: now[0]!.seat, text: now.map((crash) => said(crash!, header)).join('; ') }
  const left = riding(state)
  const { apart, counts } = territoryOf(state, header.init)
  if (!apart || left.length < 2 || state.turn === 0) return null
  const most = left.reduce((best, seat) => (counts[seat]! > counts[best]! ? seat : best))
  return { seat: most, text: `Apart: ${listed(left.map((seat) => `${nameOf(header, seat)} has ${cells(counts[seat]!)}`))}` }
}
