/* Territory: the free cells that a cycle reaches before all others, if everybody took the shortest way. */
import type { Init, Point, Seat, State } from './state'
import { headOf, riding } from './state'

/** What nobody can reach, and what several reach in the same turn. */
export const NOBODY = -1
export const SEVERAL = -2

/**
 * `owners`: cell, row by row -> the seat that reaches it first, NOBODY or SEVERAL. `turns`: cell -> turns until then.
 * `counts`: seat -> cells. `apart`: whether no two cycles can reach one cell any more.
 */
export interface Territory {
  owners: Int8Array
  turns: Int16Array
  counts: number[]
  apart: boolean
}

const BESIDE: Point[] = [
  [0, -1],
  [0, 1],
  [-1, 0],
  [1, 0],
]
const known = new WeakMap<State, Territory>()

export function territoryOf(state: State, init: Init): Territory {
  const before = known.get(state)
  if (before) return before
  const found = computed(state, init)
  known.set(state, found)
  return found
}

function computed(state: State, { w, h }: Init): Territory {
  const owners = new Int8Array(w * h).fill(NOBODY)
  const turns = new Int16Array(w * h).fill(-1)
  const counts = state.trails.map(() => 0)
  for (const trail of state.trails) for (const [x, y] of trail) turns[y * w + x] = 0
  let edge = riding(state).map((seat): [Seat, Point] => [seat, headOf(state, seat)!])
  let apart = true
  for (let turn = 1; edge.length > 0; turn++) {
    const reached = new Set<number>()
    for (const [seat, at] of edge) {
      for (const [x, y] of around(at, w, h)) {
        const cell = y * w + x
        const owner = owners[cell]!
        if (turns[cell] === -1) {
          turns[cell] = turn
          owners[cell] = seat
          reached.add(cell)
        } else if (owner !== NOBODY && owner !== seat) {
          apart = false
          if (turns[cell] === turn) owners[cell] = SEVERAL
        }
      }
    }
    edge = [...reached].flatMap((cell): [Seat, Point][] => {
      const owner = owners[cell]!
      return owner === SEVERAL ? [] : [[owner, [cell % w, Math.floor(cell / w)]]]
    })
  }
  for (const owner of owners) if (owner >= 0) counts[owner]!++
  return { owners, turns, counts, apart }
}

const around = ([x, y]: Point, w: number, h: number): Point[] =>
  BESIDE.map(([dx, dy]): Point => [x + dx, y + dy]).filter(([ax, ay]) => ax >= 0 && ay >= 0 && ax < w && ay < h)
