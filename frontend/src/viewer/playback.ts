/*
 * The playback position: a point between two turns, moved by play, step and seek, and by `advance` as time passes.
 * The view sets `onChange` and reads a `Moment`; the owner of the clock calls `advance` while `moving`.
 */

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16]
const GLIDE_TURNS_PER_S = 5
const LONGEST_S = 0.1
const NEARLY = 1e-6

export interface Moment {
  /** The position: the integer part is the turn, the fraction the progress to the next one. */
  pos: number
  turn: number
  /** The last turn so far. */
  end: number
  playing: boolean
  speed: number
  /** More turns are coming. */
  live: boolean
  /** Follows the newest turn. */
  following: boolean
}

export class Playback {
  #pos = 0
  #end = 0
  #playing = false
  #speed = 1
  #live = false
  #following = false
  #goal: number | null = null

  /** `rate`: turns a second at speed 1. `calm`: steps jump instead of gliding. */
  constructor(
    readonly rate: number,
    readonly calm = false,
    public onChange: () => void = () => {},
  ) {}

  get moment(): Moment {
    const turn = Math.min(this.#end, Math.floor(this.#pos + NEARLY))
    return {
      pos: this.#pos,
      turn,
      end: this.#end,
      playing: this.#playing,
      speed: this.#speed,
      live: this.#live,
      following: this.#following,
    }
  }

  /** Whether `advance` changes the position. */
  get moving(): boolean {
    return this.#goal !== null || (this.#playing && (this.#pos < this.#end || !this.#live))
  }

  /** Moves on by some seconds. */
  advance(seconds: number): void {
    const passed = Math.min(LONGEST_S, seconds)
    if (this.#goal !== null) this.#glide(passed)
    else if (this.#playing) this.#run(passed)
    else return
    this.onChange()
  }

  #glide(seconds: number): void {
    const left = this.#goal! - this.#pos
    const move = Math.sign(left) * seconds * GLIDE_TURNS_PER_S
    if (Math.abs(left) > Math.abs(move)) {
      this.#pos += move
    } else {
      this.#pos = this.#goal!
      this.#goal = null
    }
  }

  #run(seconds: number): void {
    // In a live match, the further behind the newest turn, the faster. A finished match plays at its normal speed.
    const haste = this.#following && this.#live ? Math.max(1, (this.#end - this.#pos) / 2) : 1
    this.#pos = Math.min(this.#end, this.#pos + seconds * this.rate * this.#speed * haste)
    if (this.#pos >= this.#end && !this.#live) {
      this.#playing = false
      this.#following = false
    }
  }

  /** Sets the last turn so far; `live`: more will follow. */
  extend(end: number, live: boolean): void {
    this.#end = end
    this.#live = live
    if (!live && this.#pos >= end) this.#following = false
    this.onChange()
  }

  play(): void {
    if (this.#pos >= this.#end && !this.#live) this.#pos = 0
    this.#goal = null
    this.#playing = true
    this.onChange()
  }

  pause(): void {
    this.#playing = this.#following = false
    this.#goal = null
    this.#pos = Math.min(this.#end, Math.round(this.#pos))
    this.onChange()
  }

  toggle(): void {
    if (this.#playing) this.pause()
    else this.play()
  }

  /** Moves by some turns, forward or back; a single turn is animated. */
  step(turns: number): void {
    const here = this.#goal ?? (turns > 0 ? Math.floor(this.#pos + NEARLY) : Math.ceil(this.#pos - NEARLY))
    const goal = Math.max(0, Math.min(this.#end, here + turns))
    this.#playing = this.#following = false
    if (this.calm || Math.abs(turns) > 1) {
      this.#goal = null
      this.#pos = goal
    } else {
      this.#goal = goal
    }
    this.onChange()
  }

  seek(pos: number): void {
    this.#goal = null
    this.#following = false
    this.#pos = Math.max(0, Math.min(this.#end, pos))
    this.onChange()
  }

  /** Plays, and keeps up with the newest turn. */
  follow(): void {
    this.#following = true
    this.#pos = Math.max(this.#pos, this.#end - 1, 0)
    this.play()
  }

  setSpeed(speed: number): void {
    this.#speed = speed
    this.onChange()
  }

  /** To the next of SPEEDS, up or down. */
  changeSpeed(steps: number): void {
    const at = SPEEDS.indexOf(this.#speed) + steps
    this.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at))]!)
  }
}
