/* What bots did wrong, as a replay tells it. A bot that errs in the same way turn after turn is told of once. Pure. */
import type { Frame } from './game'

/** A warning cost the bot nothing but what it asked for. */
export interface SeatFault {
  turn: number
  seat: number
  kind: string
  message: string
}

/** `turn` is the first one, `count` in how many turns since. */
export interface ToldFault extends SeatFault {
  count: number
}

/** The faults of one turn. */
export function faultsOf(frame: Frame): SeatFault[] {
  const faults = (frame.faults ?? []).map(([seat, kind, message]) => ({ turn: frame.t, seat, kind, message }))
  // A note repeats a fault or a warning in the game's words; a warning that no fault tells of is told here.
  const told = new Set(faults.map(({ seat, message }) => `${seat} ${message}`))
  const warnings = (frame.notes ?? []).filter(
    ([seat, kind, message]) => kind === 'warning' && !told.has(`${seat} ${message}`),
  )
  return [...faults, ...warnings.map(([seat, kind, message]) => ({ turn: frame.t, seat, kind, message }))]
}

/** All faults so far, each kind of a seat once, in the order in which they came first. */
export class FaultList {
  readonly #told = new Map<string, ToldFault>()

  /** Takes some faults on, and returns those that are new in kind. */
  add(faults: SeatFault[]): SeatFault[] {
    return faults.filter((fault) => {
      const name = JSON.stringify([fault.seat, fault.kind, fault.message])
      const known = this.#told.get(name)
      this.#told.set(name, { ...(known ?? fault), count: (known?.count ?? 0) + 1 })
      return !known
    })
  }

  get all(): ToldFault[] {
    return [...this.#told.values()]
  }
}
