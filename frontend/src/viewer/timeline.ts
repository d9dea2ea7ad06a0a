/* Frames in, states out: any turn, with few states kept. */
import type { Frame, GameViewer, Header } from './game'

const NEAR = 6

export class Timeline<Init = unknown, F extends Frame = Frame, State extends object = object> {
  readonly frames: F[] = []
  readonly #kept = new Map<number, State>()
  readonly #near = new Map<number, State>()

  constructor(
    readonly header: Header<Init>,
    readonly game: GameViewer<Init, F, State>,
  ) {
    this.#kept.set(0, game.start(header))
  }

  /** The last turn there is a state for. */
  get last(): number {
    return this.frames.length
  }

  push(frame: F): void {
    this.frames.push(frame)
  }

  /** The state after turn `turn`, 0 being the start; turns outside are moved to the nearest. */
  at(turn: number): State {
    const wanted = Math.max(0, Math.min(this.last, turn))
    let from = wanted
    while (!this.#known(from)) from--
    let state = this.#known(from)!
    for (let i = from + 1; i <= wanted; i++) {
      state = this.game.step(state, this.frames[i - 1]!, this.header)
      this.#remember(i, state)
    }
    return state
  }

  #known(turn: number): State | undefined {
    return this.#near.get(turn) ?? this.#kept.get(turn)
  }

  #remember(turn: number, state: State): void {
    if (turn % (this.game.every ?? 1) === 0) this.#kept.set(turn, state)
    this.#near.set(turn, state)
    const oldest = this.#near.keys().next().value
    if (this.#near.size > NEAR && oldest !== undefined) this.#near.delete(oldest)
  }
}
