/*
 * A practice run of the code in the editor: sent, waiting or being built, then played and shown, or failed.
 * Each run is an object of its own; starting the next one stops it.
 */
import { Show } from '../viewer/show.svelte'
import { splitLines, type Exchange } from '../viewer/replay'
import { api, words } from './client'
import { liveLines } from './live'
import { findProblems, type CodeProblem } from './problems'
import { lessMotion } from './theme.svelte'
import type { Match, NewMatch } from './types'
import { who } from './who.svelte'

export type RunState = 'sending' | 'waiting' | 'playing' | 'done' | 'failed'

export class Run {
  stage: RunState = $state('sending')
  match: Match | null = $state.raw(null)
  /** Why it failed, in words. */
  problem = $state('')
  buildLog = $state('')
  /** Lines of the code that are to blame. */
  lines: CodeProblem[] = $state.raw([])
  readonly show = new Show({ live: true, calm: lessMotion() })
  readonly #stopped = new AbortController()

  async start(order: NewMatch): Promise<void> {
    try {
      this.#take(await api.play(order))
      void who.wrote()
      await this.show.load(this.#lines())
      if (this.#stopped.signal.aborted) return
      this.#take(await api.match(this.match!.id))
      if (this.match!.state === 'void') await this.#explain(order.source)
      else await this.#blame()
    } catch (error) {
      if (!this.#stopped.signal.aborted) this.#fail(words(error))
    }
  }

  stop(): void {
    this.#stopped.abort()
    this.show.stop()
  }

  async *#lines(): ReturnType<typeof liveLines> {
    for await (const batch of liveLines(this.match!.live_url, (match) => this.#take(match), this.#stopped.signal)) {
      if (this.stage === 'waiting') this.stage = 'playing'
      yield batch
    }
  }

  #take(match: Match): void {
    this.match = match
    if (match.state === 'done') this.stage = 'done'
    else if (match.state !== 'void' && this.stage === 'sending') this.stage = 'waiting'
    // An attempt did not count: the match waits to be played again.
    else if (match.state === 'queued' && this.stage === 'playing') this.stage = 'waiting'
  }

  #fail(problem: string): void {
    this.problem = problem
    this.stage = 'failed'
  }

  /** The match did not take place: most often the code does not build. */
  async #explain(source: string): Promise<void> {
    const mine = this.match!.seats.find((seat) => seat.mine)
    const draft = mine ? await api.submission(mine.submission_id) : null
    this.buildLog = draft?.build_log ?? ''
    this.lines = within(findProblems(this.buildLog), source)
    this.#fail(draft?.problem ?? this.match!.void_reason ?? 'The match did not take place.')
  }

  /** If the bot crashed: the lines that its last words name. */
  async #blame(): Promise<void> {
    const mine = this.match!.seats.find((seat) => seat.mine && seat.fault)
    if (!mine) return
    let log = ''
    for await (const lines of splitLines(await api.seatLog(this.match!.id, mine.seat))) {
      log = lines.map((line) => (JSON.parse(line) as Exchange).e).filter(Boolean).at(-1) ?? log
    }
    this.lines = findProblems(log)
  }
}

const within = (problems: CodeProblem[], source: string): CodeProblem[] => {
  const last = source.split('\n').length
  return problems.filter((problem) => problem.line <= last)
}
