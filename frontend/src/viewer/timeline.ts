/*
 * Turns frames into states, for any turn, with few states in memory. Seeking starts from the nearest known state: one
 * in `every` is kept, and a frame may hold a whole state (`key`). `prepare`, called while the browser is idle, steps
 * through the match and keeps the states on the way.
 */
import type { GameViewer } from './game'
import type { Frame, Header } from './lines'

const NEAR = 6

/** `played`: stepped from the start, so its history is complete; not so when stepped from a `key`. */
interface Known<State> {
  state: State
  played: boolean
}

export class Timeline<Init = unknown, F extends Frame = Frame, State extends object = object> {
  readonly frames: F[] = []
  /** `kept`: played states, one in `every`. `near`: the last few states of any kind. */
  readonly #kept = new Map<number, Known<State>>()
  readonly #near = new Map<number, Known<State>>()
  #prepared = 0

  constructor(
    readonly header: Header<Init>,
    readonly game: GameViewer<Init, F, State>,
  ) {
    this.#kept.set(0, { state: game.start(header), played: true })
  }

  /** The last turn there is a state for. */
  get last(): number {
    return this.frames.length
  }

  get #every(): number {
    return this.game.every ?? 1
  }

  push(frame: F): void {
    this.frames.push(frame)
  }

  /** The state after turn `turn`, 0 being the start; turns outside are moved to the nearest. */
  at(turn: number): State {
    const wanted = Math.max(0, Math.min(this.last, turn))
    const [from, known] = this.#before(wanted)
    this.#remember(from, known)
    return this.#walk(from, known, wanted, (passed, found) => this.#remember(passed, found)).state
  }

  /** Steps from where it stopped to the next turn whose state is kept. Returns whether there is more to do. */
  prepare(): boolean {
    const next = this.#prepared + this.#every
    if (this.#every === 1 || next > this.last) return false
    if (!this.#kept.has(next)) this.#kept.set(next, this.#walk(this.#prepared, this.#kept.get(this.#prepared)!, next))
    this.#prepared = next
    // These can now be stepped to from a played state.
    for (const [turn, known] of this.#near) if (!known.played && turn <= next + this.#every) this.#near.delete(turn)
    return next + this.#every <= this.last
  }

  /** Where to step from: the nearest known state, or a closer one that a frame holds. */
  #before(wanted: number): [turn: number, known: Known<State>] {
    let held: [number, Known<State>] | null = null
    for (let turn = wanted; ; turn--) {
      if (held && wanted - turn >= this.#every) return held
      const known = this.#kept.get(turn) ?? this.#near.get(turn)
      if (known) return [turn, known]
      held ??= this.#heldBy(turn)
    }
  }

  #heldBy(turn: number): [number, Known<State>] | null {
    const frame = this.frames[turn - 1]
    const state = frame && this.game.key?.(frame, this.header)
    return state ? [turn, { state, played: false }] : null
  }

  #walk(
    from: number,
    known: Known<State>,
    to: number,
    pass: (turn: number, known: Known<State>) => void = () => {},
  ): Known<State> {
    let { state } = known
    const { played } = known
    for (let turn = from + 1; turn <= to; turn++) {
      const frame = this.frames[turn - 1]!
      state = this.game.step(state, frame, this.header)
      state = this.game.key?.(frame, this.header, state) ?? state
      pass(turn, { state, played })
    }
    return { state, played }
  }

  #remember(turn: number, known: Known<State>): void {
    if (known.played && turn % this.#every === 0) this.#kept.set(turn, known)
    this.#near.delete(turn)
    this.#near.set(turn, known)
    const oldest = this.#near.keys().next().value
    if (this.#near.size > NEAR && oldest !== undefined) this.#near.delete(oldest)
  }
}
