/*
 * A replay that is being shown: its lines become a timeline, a playback, and what the controls need (curve, marks,
 * faults). Used for finished matches, live matches, and the small board of the home page.
 */
import { FaultList, faultsOf, type SeatFault, type CountedFault } from './faults'
import type { GameViewer, Mark } from './game'
import type { End, Frame, Header } from './lines'
import { loadGame } from './games'
import { hides, seenFrom, type Viewpoint } from './hidden'
import { firstLayers } from './painter'
import { Playback, type Moment } from './playback'
import { readReplay, type Batch, type ReplayListener } from './replay'
import { Timeline } from './timeline'

export interface TurnMark extends Mark {
  turn: number
}

export interface SessionOptions {
  /** The match is live: start at once and follow it. */
  live?: boolean
  calm?: boolean
  /** Start at this turn. */
  turn?: number
  autoplay?: boolean
  /** How fast it plays at first; 1 if left out. */
  speed?: number
  /** The address of a viewer that is used instead of the game's own. */
  viewer?: string
}

// Safari has no idle callbacks; a timer lets it draw between two calls.
const whenIdle = (act: () => void): number =>
  typeof requestIdleCallback === 'function' ? requestIdleCallback(act, { timeout: 250 }) : setTimeout(act, 30)
const cancelIdle = (id: number): void =>
  typeof cancelIdleCallback === 'function' ? cancelIdleCallback(id) : clearTimeout(id)

export class ReplaySession implements ReplayListener {
  timeline = $state.raw<Timeline>()
  game = $state.raw<GameViewer>()
  playback = $state.raw<Playback>()
  moment = $state.raw<Moment>({ pos: 0, turn: 0, end: 0, playing: false, speed: 1, live: false, following: false })
  ended = $state.raw<End>()
  curve = $state.raw<number[][]>([])
  marks = $state.raw<TurnMark[]>([])
  faults = $state.raw<CountedFault[]>([])
  layers = $state<Record<string, boolean>>({})
  problem = $state('')
  /** There is no such replay: no use to try again. */
  missing = $state(false)
  /** Why the game's viewer cannot draw this moment; empty if it can. */
  failure = $state('')
  /** All lines have been read. */
  complete = $state(false)
  /** Not everybody saw everything of it. */
  hides = $state(false)
  viewpoint = $state<Viewpoint>('all')
  /** Who left before the end: turn, seat, and place from 0. */
  left = $state.raw<[turn: number, seat: number, place: number][]>([])

  #options: SessionOptions
  /** As they were read, whatever is shown of them. */
  #header?: Header
  #frames: Frame[] = []
  #faults = new FaultList()
  #shown = 0
  /** How it was watched when it last began anew. */
  #before?: Moment
  #animation = 0
  #idle = 0
  #stopped = false

  constructor(options: SessionOptions = {}) {
    this.#options = options
  }

  /** Reads all lines. Sets `problem` on failure. */
  async load(batches: AsyncIterable<Batch>): Promise<void> {
    try {
      this.complete = await readReplay(batches, this)
      if (!this.complete) this.#fail('The replay is incomplete.')
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error), (error as { status?: number }).status === 404)
    }
  }

  /** What was read so far can be watched; nothing more will come. */
  #fail(problem: string, missing = false): void {
    if (this.#stopped) return
    this.problem = problem
    this.missing = missing
    this.playback?.extend(this.timeline?.last ?? 0, false)
  }

  stop(): void {
    this.#stopped = true
    cancelAnimationFrame(this.#animation)
    cancelIdle(this.#idle)
  }

  /** Shows the match as it is seen from there, at the same turn. */
  see(viewpoint: Viewpoint): void {
    if (!this.#header || !this.game) return
    this.viewpoint = viewpoint
    const seen = new Timeline(seenFrom(viewpoint, this.#header), this.game)
    for (const frame of this.#frames) seen.push(seenFrom(viewpoint, frame))
    this.timeline = seen
    this.curve = this.game.curve?.(seen.frames, seen.header) ?? []
    this.#prepare()
  }

  // --- ReplayListener ---

  async header(header: Header): Promise<void> {
    const game = await loadGame(header.game, this.#options.viewer)
    if (!game) throw new Error(`No viewer for the game “${header.game}”.`)
    this.game = game
    this.layers = firstLayers(game)
    this.#header = header
    this.hides ||= hides(header)
    this.timeline = new Timeline(seenFrom(this.viewpoint, header), game)
    this.playback = new Playback(game.rate, this.#options.calm)
    this.playback.onChange = () => this.#changed()
    this.playback.setSpeed(this.#before?.speed ?? this.#options.speed ?? 1)
    this.playback.extend(0, true)
    // Whoever has paused before it came once more stays where they are until it is all there.
    if (this.#options.live && this.#before?.playing !== false) this.playback.follow()
  }

  frame(frame: Frame): void {
    this.#frames.push(frame)
    this.hides ||= hides(frame)
    if (frame.left) this.left = [...this.left, ...frame.left.map(([seat, place]): [number, number, number] => [frame.t, seat, place])]
    this.timeline!.push(seenFrom(this.viewpoint, frame))
  }

  end(end: End): void {
    this.ended = end
  }

  restart(): void {
    cancelAnimationFrame(this.#animation)
    this.#animation = 0
    this.#before = this.moment
    this.playback = this.timeline = this.ended = undefined
    this.curve = this.marks = this.faults = []
    this.#frames = []
    this.left = []
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
    if (this.ended && !this.#goOn()) this.#begin()
    this.#prepare()
  }

  /** Prepares states for fast seeking while the browser is idle. */
  #prepare(): void {
    if (this.#idle || this.#stopped) return
    this.#idle = whenIdle(() => {
      this.#idle = 0
      if (this.#stopped || !this.timeline) return
      if (this.timeline.prepare()) this.#prepare()
      // The state on screen may now hold more history: draw it again.
      else this.#changed()
    })
  }

  /** The game's marks, and faults of a new kind. */
  #marksOf(frame: Frame, header: Header): TurnMark[] {
    const own = this.game!.marks?.(frame, header) ?? []
    const faults = this.#faults.add(faultsOf(frame))
    return [...own.map((mark) => ({ ...mark, turn: frame.t })), ...faults.map((fault) => markOf(fault, header))]
  }

  /** A match that hides something comes once more when it is over, with all of it: the board goes on from where it was.
   *  False if it is further, or the user has moved it since. */
  #goOn(): boolean {
    const before = this.#before
    const { pos, following } = this.playback!.moment
    const moved = before?.playing ? !following : pos > 0
    if (!before || moved || pos >= before.pos) return false
    this.playback!.seek(before.pos)
    if (!before.playing) this.playback!.pause()
    return true
  }

  /** Once all lines are read: go to the turn in the address, or start playing. */
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
