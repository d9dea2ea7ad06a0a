/*
 * Who holds which cell: attack values, the cells that both seats stand on, and the chains that carried a harvest.
 * The rules are in statement.md, under "Attack chains".
 */
import type { Header } from '$viewer/game'
import { neighbours } from './places'
import { SEATS, type AntsFrame, type Cell, type Init, type Seat, type State } from './state'

/** From this rules level on, the larger attack value breaks the other seat's chains. */
const ATTACK_LEVEL = 3

/** Seat -> cell -> the weakest link of the best chain of ants from the cell to a base of the seat, 0 if there is none. */
export function attackValues(state: State, init: Init): number[][] {
  let known = valuesOf.get(state)
  if (!known) {
    known = SEATS.map((seat) => widestWays(init, state.ants[seat]!, init.bases[seat]!))
    valuesOf.set(state, known)
  }
  return known
}
const valuesOf = new WeakMap<State, number[][]>()

/** The widest cells are finished first, as in a search for shortest ways. */
function widestWays(init: Init, ants: number[], bases: Cell[]): number[] {
  const value = ants.map(() => 0)
  for (const base of bases) value[base] = ants[base]!
  const open = new Set(bases.filter((base) => ants[base]! > 0))
  while (open.size > 0) {
    let cell = -1
    for (const one of open) if (cell < 0 || value[one]! > value[cell]!) cell = one
    open.delete(cell)
    for (const next of neighbours(init)[cell]!) {
      const found = Math.min(ants[next]!, value[cell]!)
      if (found <= value[next]!) continue
      value[next] = found
      open.add(next)
    }
  }
  return value
}

/** A cell that both seats stand on. `share`: how much of it is seat 0's, 0 to 1; `loser`: who cannot use it in a chain. */
export interface Contest {
  cell: Cell
  values: number[]
  share: number
  loser: Seat | null
}

/** No seat is pushed out of the picture. */
const LEAST_SHARE = 0.2

const contestsOf = new WeakMap<State, Contest[]>()

export function contests(state: State, header: Header<Init>): Contest[] {
  let known = contestsOf.get(state)
  if (!known) {
    known = findContests(state, header)
    contestsOf.set(state, known)
  }
  return known
}

function findContests(state: State, { init, league }: Header<Init>): Contest[] {
  const attack = attackValues(state, init)
  return state.ants[0]!.flatMap((ants, cell) => {
    const others = state.ants[1]![cell]!
    if (ants <= 0 || others <= 0) return []
    const values = SEATS.map((seat) => attack[seat]![cell]!)
    const [own, other] = values[0]! + values[1]! > 0 ? [values[0]!, values[1]!] : [ants, others]
    const share = Math.max(LEAST_SHARE, Math.min(1 - LEAST_SHARE, own / (own + other)))
    const decided = league >= ATTACK_LEVEL && values[0] !== values[1]
    return [{ cell, values, share, loser: decided ? (values[0]! > values[1]! ? 1 : 0) : null }]
  })
}

/** A piece of a chain between two neighbours, `to` nearer to the base. `strength`: of the strongest chain through it. */
export interface Link {
  seat: Seat
  from: Cell
  to: Cell
  strength: number
}

const NO_LINKS: Map<string, Link> = new Map()
const knownLinks = new WeakMap<AntsFrame, Map<string, Link>>()

/** The links of a frame's harvests, by a name that stays the same from turn to turn. */
export function linksOf(frame: AntsFrame | undefined): Map<string, Link> {
  if (!frame) return NO_LINKS
  const known = knownLinks.get(frame)
  if (known) return known
  const links = new Map<string, Link>()
  knownLinks.set(frame, links)
  for (const [seat, , amount, route] of frame.h) {
    for (let i = 0; i + 1 < route.length; i++) {
      const [from, to] = [route[i]!, route[i + 1]!]
      const name = `${seat}:${from}:${to}`
      const strength = Math.max(amount, links.get(name)?.strength ?? 0)
      links.set(name, { seat, from, to, strength })
    }
  }
  return links
}
