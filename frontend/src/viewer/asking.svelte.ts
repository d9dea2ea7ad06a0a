/*
 * A person's turn on the page: what is entered, Undo, the keyboard's cursor, and the reply on its way. It asks as soon
 * as the match does and the board shows that turn; the server refuses a bad line in the game's own words.
 */
import { isArrow, nextPlace, noInput, replyOf, sendsAtOnce } from './ask'
import type { Ask, Asked, Input } from './game'
import type { ReplaySession } from './session.svelte'

/** Sends a reply for a turn; rejects with why it was refused. */
export type Send = (turn: number, line: string) => Promise<void>

export class Asking {
  /** The turn that the match asks for; null while the bots think. */
  turn: number | null = $state(null)
  /** Where the keyboard is on the board. */
  cursor: [number, number] | null = $state.raw(null)
  /** Why the last reply was refused. */
  problem = $state('')
  sending = $state(false)
  /** The commands of the turn before, to enter them again. */
  before: readonly string[] = $state.raw([])

  #inputs: Input[] = $state.raw([])
  #repliedTo = $state(0)
  #session: ReplaySession
  #seat: number
  #send: Send

  constructor(session: ReplaySession, seat: number, send: Send) {
    this.#session = session
    this.#seat = seat
    this.#send = send
  }

  /** How the game lets a person play; null before its viewer is loaded. */
  get ask(): Ask | null {
    return (this.#session.game?.ask as Ask | undefined) ?? null
  }

  /** The turn to reply to; null while there is none, or while its board is not here yet. */
  readonly asked: Asked | null = $derived.by(() => {
    const { timeline, moment } = this.#session
    const turn = this.turn
    if (!timeline || turn === null || turn <= this.#repliedTo || moment.end !== turn - 1) return null
    return { state: timeline.at(moment.end), seat: this.#seat, header: timeline.header }
  })

  /** Whether a click means a move: not while the person looks at an earlier turn. */
  readonly open = $derived.by(() => {
    const { turn, end, following } = this.#session.moment
    return this.asked !== null && (turn === end || following) && !this.sending
  })
  /** Whether the board shows what is asked: the last turns may still be moving. */
  readonly onBoard = $derived.by(() => this.open && this.#session.moment.pos >= this.#session.moment.end)

  readonly input: Input | null = $derived(this.ask && this.asked ? (this.#inputs.at(-1) ?? noInput(this.ask, this.asked)) : null)
  readonly canUndo = $derived(this.#inputs.length > 0)
  readonly line = $derived(this.ask && this.input ? replyOf(this.ask, this.input) : '')

  point(at: [number, number]): void {
    if (!this.open || !this.ask || !this.asked || !this.input) return
    this.#skipMotion()
    this.#enter(this.ask.point(this.input, at, this.asked))
  }

  choose(tool: string): void {
    if (this.input) this.#enter({ ...this.input, tool, picked: [] })
  }

  /** Forgets what was picked for the next command. */
  unpick(): void {
    if (this.input && this.input.picked.length > 0) this.#enter({ ...this.input, picked: [] })
  }

  undo(): void {
    this.#inputs = this.#inputs.slice(0, -1)
    this.problem = ''
  }

  /** Enters the commands of the turn before. */
  repeat(): void {
    if (this.input) this.#enter({ ...this.input, picked: [], commands: this.before })
  }

  /** Takes a key, as `KeyboardEvent.key`. `repeat`: it is held. False: it means nothing here. */
  key(key: string, repeat = false): boolean {
    const { ask, asked, input } = this
    if (!this.open || !ask || !asked || !input) return this.#comesEarly(key)
    const own = ask.key?.(input, key, asked)
    // Whoever holds a key means this turn, not all that follow.
    if (own && repeat) return true
    if (key === 'Enter' || isArrow(key)) this.#skipMotion()
    if (own) this.#enter(own)
    else if (isArrow(key)) this.cursor = nextPlace(ask.places(input, asked), this.cursor, key)
    else if (key === 'Enter' && this.cursor) this.point(this.cursor)
    else if (key === 'Backspace' && this.canUndo) this.undo()
    else if (key === 'Escape' && input.picked.length > 0) this.unpick()
    else return false
    return true
  }

  /** An arrow key while the bot thinks, or the move is on its way: as a step through the match it would end that the board
   *  follows, and takes moves. */
  #comesEarly(key: string): boolean {
    const { live, following } = this.#session.moment
    return isArrow(key) && live && following
  }

  /** Whoever acts has seen enough of the turns before. */
  #skipMotion(): void {
    this.#session.playback?.seek(this.#session.moment.end)
    this.#session.playback?.follow()
  }

  #enter(next: Input): void {
    if (next === this.input) return
    this.problem = ''
    this.#inputs = [...this.#inputs, next]
    if (this.ask && sendsAtOnce(this.ask) && next.commands.length > 0) void this.send()
  }

  /** Sends what is entered, or this line. */
  async send(line = this.line): Promise<boolean> {
    const turn = this.turn
    if (turn === null || this.asked === null || this.sending) return false
    this.sending = true
    this.problem = ''
    // The match may go on before the answer comes: then nothing is entered any more.
    const commands = this.input?.commands ?? []
    try {
      await this.#send(turn, line)
      this.before = commands
      this.#repliedTo = turn
      this.cursor = null
      return true
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error)
      return false
    } finally {
      // A refused move of a game that sends at once must not stay on the board.
      if (this.#repliedTo === turn || (this.ask && sendsAtOnce(this.ask))) this.#inputs = []
      this.sending = false
    }
  }
}
