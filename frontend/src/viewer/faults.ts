/* The faults of bots in a replay. A fault that a bot repeats turn after turn is listed once, with a count. Pure. */
import type { Frame } from './lines'

/** A warning has no penalty: the requested action was ignored. */
export interface SeatFault {
  turn: number
  seat: number
  kind: string
  message: string
}

/** `turn` is the first one, `count` in how many turns since. */
export interface CountedFault extends SeatFault {
  count: number
}

/** The faults of one turn. */
export function faultsOf(frame: Frame): SeatFault[] {
  const faults = (frame.faults ?? []).map(([seat, kind, message]) => ({ turn: frame.t, seat, kind, message }))
  // A note repeats a fault or a warning in the game's words; warnings without a fault are added here.
  const known = new Set(faults.map(({ seat, message }) => `${seat} ${message}`))
  const warnings = (frame.notes ?? []).filter(
    ([seat, kind, message]) => kind === 'warning' && !known.has(`${seat} ${message}`),
  )
  return [...faults, ...warnings.map(([seat, kind, message]) => ({ turn: frame.t, seat, kind, message }))]
}

/** All faults so far, each kind of a seat once, in the order in which they came first. */
export class FaultList {
  readonly #faults = new Map<string, CountedFault>()

  /** Adds faults, and returns those that are new in kind. */
  add(faults: SeatFault[]): SeatFault[] {
    return faults.filter((fault) => {
      const name = JSON.stringify([fault.seat, fault.kind, fault.message])
      const known = this.#faults.get(name)
      this.#faults.set(name, { ...(known ?? fault), count: (known?.count ?? 0) + 1 })
      return !known
    })
  }

  get all(): CountedFault[] {
    return [...this.#faults.values()]
  }
}
