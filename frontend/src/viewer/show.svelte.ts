/*
 * One match on show: its lines become a timeline, a playback, and what the controls need (curve, marks, faults).
 * The same for a match that is over, one that is being played, and the small board of the home page.
 */
import { FaultList, faultsOf, type SeatFault, type ToldFault } from './faults'
import type { End, Frame, GameViewer, Header, Mark } from './game'
import { loadGame } from './games'
import { firstLayers } from './painter'
import { Playback, type Moment } from './playback'
import { readReplay, type Batch, type ReplayListener } from './replay'
import { Timeline } from './timeline'

export interface TurnMark extends Mark {
  turn: number
}

export interface ShowOptions {
  /** The match is being played: begin at once and keep up. */
  live?: boolean
  calm?: boolean
  /** Begin at this turn. */
  turn?: number
  autoplay?: boolean
}

// Safari has no idle callbacks; a timer lets it draw in between.
const whenIdle = (act: () => void): number =>
  typeof requestIdleCallback === 'function' ? requestIdleCallback(act, { timeout: 250 }) : setTimeout(act, 30)
const cancelIdle = (id: number): void =>
  typeof cancelIdleCallback === 'function' ? cancelIdleCallback(id) : clearTimeout(id)

export class Show implements ReplayListener {
  timeline = $state.raw<Timeline>()
  game = $state.raw<GameViewer>()
  playback = $state.raw<Playback>()
  moment = $state.raw<Moment>({ pos: 0, turn: 0, end: 0, playing: false, speed: 1, live: false, following: false })
  ended = $state.raw<End>()
  curve = $state.raw<number[][]>([])
  marks = $state.raw<TurnMark[]>([])
  faults = $state.raw<ToldFault[]>([])
  layers = $state<Record<string, boolean>>({})
  problem = $state('')
  /** All lines are here. */
  complete = $state(false)

  #options: ShowOptions
  #faults = new FaultList()
  #shown = 0
  #animation = 0
  #idle = 0
  #stopped = false

  constructor(options: ShowOptions = {}) {
    this.#options = options
  }

  /** Reads all lines. What goes wrong is told in `problem`. */
  async load(batches: AsyncIterable<Batch>): Promise<void> {
    try {
      this.complete = await readReplay(batches, this)
      if (!this.complete && !this.#stopped) this.problem = 'The replay stops before its end.'
    } catch (error) {
      if (!this.#stopped) this.problem = error instanceof Error ? error.message : String(error)
    }
  }

  stop(): void {
    this.#stopped = true
    cancelAnimationFrame(this.#animation)
    cancelIdle(this.#idle)
  }

  // --- ReplayListener ---

  async header(header: Header): Promise<void> {
    const game = await loadGame(header.game)
    if (!game) throw new Error(`There is no viewer for the game “${header.game}”.`)
    this.game = game
    this.layers = firstLayers(game)
    this.timeline = new Timeline(header, game)
    this.playback = new Playback(game.rate, this.#options.calm)
    this.playback.onChange = () => this.#changed()
    this.playback.extend(0, true)
    if (this.#options.live) this.playback.follow()
  }

  frame(frame: Frame): void {
    this.timeline!.push(frame)
  }

  end(end: End): void {
    this.ended = end
  }

  restart(): void {
    this.playback = this.timeline = this.ended = undefined
    this.curve = this.marks = this.faults = []
    this.#faults = new FaultList()
    this.#shown = 0
  }

  idle(): void {
    if (!this.timeline || !this.playback || !this.game) return
    const { frames, header } = this.timeline
    const fresh = frames.slice(this.#shown)
    this.#shown = frames.length
    const marks = fresh.flatMap((frame) => this.#marksOf(frame, header))
    if (marks.length) this.marks = [...this.marks, ...marks]
    if (fresh.some((frame) => faultsOf(frame).length > 0)) this.faults = this.#faults.all
    if (fresh.length) this.curve = this.game.curve?.(frames, header) ?? []
    this.playback.extend(frames.length, this.ended === undefined)
    if (this.ended) this.#begin()
    this.#prepare()
  }

  /** Makes far jumps quick, whenever the browser has nothing else to do. */
  #prepare(): void {
    if (this.#idle || this.#stopped) return
    this.#idle = whenIdle(() => {
      this.#idle = 0
      if (this.#stopped || !this.timeline) return
      if (this.timeline.prepare()) this.#prepare()
      // A state may now remember more than it did when it was drawn.
      else this.#changed()
    })
  }

  /** What the game marks, and faults that are new in kind. */
  #marksOf(frame: Frame, header: Header): TurnMark[] {
    const own = this.game!.marks?.(frame, header) ?? []
    const faults = this.#faults.add(faultsOf(frame))
    return [...own.map((mark) => ({ ...mark, turn: frame.t })), ...faults.map((fault) => markOf(fault, header))]
  }

  /** Once all is here: to the turn that the address names, or straight into playing. */
  #begin(): void {
    const { turn, live, autoplay, calm } = this.#options
    if (turn !== undefined) this.playback!.seek(turn)
    else if (autoplay && !live && !calm) this.playback!.play()
  }

  #changed(): void {
    this.moment = this.playback!.moment
    if (!this.#stopped && !this.#animation && this.playback!.moving) this.#run(performance.now())
  }

  #run(before: number): void {
    this.#animation = requestAnimationFrame((now) => {
      this.#animation = 0
      this.playback!.advance(Math.max(0, now - before) / 1000)
      if (!this.#stopped && !this.#animation && this.playback!.moving) this.#run(now)
    })
  }
}

const markOf = ({ turn, seat, kind }: SeatFault, { players }: Header): TurnMark => ({
  turn,
  label: `${players[seat]?.bot ?? 'A bot'}: ${kind}`,
  player: seat,
  bad: true,
})
