/*
 * A practice run of the code in the editor: sent, waiting or being built, then played and shown, or failed.
 * Each run is an object of its own; starting the next one stops it.
 */
import { ReplaySession } from '../viewer/session.svelte'
import type { Frame } from '../viewer/lines'
import { RESTART, splitLines, type Exchange } from '../viewer/replay'
import { api, explainedMessage, wantsSignIn } from './client'
import { firstDifference } from './compare'
import { ownSeat } from './ending'
import { liveLines, matchWhenOver } from './live'
import { findProblems, type CodeProblem } from './problems'
import { lessMotion } from './theme.svelte'
import type { Fork, Match, NewMatch } from './types'
import { currentUser } from './current-user.svelte'

export type RunState = 'sending' | 'waiting' | 'playing' | 'done' | 'failed'

/** What a user may choose for a practice match, as the form holds it; empty means the default. */
export interface MatchOptions {
  /** A bot's id. */
  opponent: string
  /** Ids of those that play besides, in the order of their seats. */
  others: string[]
  /** How many play, or how many teams. */
  entrants: string
  seat: number
  /** How many bots are dealt to mixed teams; 0: one bot to each team. */
  mixed: number
  seed: string
  level: string
}

export class Run {
  stage: RunState = $state('sending')
  match: Match | null = $state.raw(null)
  /** Why it failed. */
  problem = $state('')
  /** It failed because nobody is signed in. */
  signIn = $state(false)
  buildLog = $state('')
  /** Lines of code with errors. */
  lines: CodeProblem[] = $state.raw([])
  /** What it was written in. */
  readonly language: string
  readonly session = new ReplaySession({ live: true, calm: lessMotion() })
  readonly #stopped = new AbortController()

  /** The match that this one plays again; null for none. */
  readonly before: number | null
  /** The first turn that differs from that match: null for none, undefined while unknown. */
  difference: number | null | undefined = $state()

  constructor(language: string, before: number | null = null) {
    this.language = language
    this.before = before
  }

  /** `fork`: plays on from there, in place of what the options say. */
  async start(game: string, source: string, options: MatchOptions, fork: Fork | null = null): Promise<void> {
    try {
      const code = { game, language: this.language, source }
      this.#update(await api.play(fork ? { ...code, fork } : { ...code, ...choiceOf(options) }))
      void currentUser.refresh()
      await this.session.load(this.#lines())
      if (this.#stopped.signal.aborted) return
      this.#update(await matchWhenOver(this.match!.id, this.#stopped.signal))
      if (this.match!.state === 'void') await this.#findBuildErrors(source)
      else await Promise.all([this.#findCrashLines(source), this.#compare()])
    } catch (error) {
      if (this.#stopped.signal.aborted) return
      this.signIn = wantsSignIn(error)
      this.#fail(explainedMessage(error))
    }
  }

  stop(): void {
    this.#stopped.abort()
    this.session.stop()
  }

  async *#lines(): ReturnType<typeof liveLines> {
    for await (const batch of liveLines(this.match!, (match) => this.#update(match), this.#stopped.signal)) {
      // A build that failed ends the match before its first line.
      if (this.stage === 'waiting' && batch !== RESTART && !batch[0]?.startsWith('{"end"')) this.stage = 'playing'
      yield batch
    }
  }

  #update(match: Match): void {
    this.match = match
    if (match.state === 'done') this.stage = 'done'
    else if (match.state !== 'void' && this.stage === 'sending') this.stage = 'waiting'
    // An attempt was void: the match is queued again.
    else if (match.state === 'queued' && this.stage === 'playing') this.stage = 'waiting'
  }

  #fail(problem: string): void {
    this.problem = problem
    this.stage = 'failed'
  }

  /** What is no longer stored cannot be compared. */
  async #compare(): Promise<void> {
    if (this.before === null || !this.session.timeline) return
    try {
      const frames: Frame[] = []
      for await (const lines of splitLines(await api.replay(this.before))) {
        frames.push(...lines.map((line) => JSON.parse(line) as Frame).filter((line) => 't' in line))
      }
      this.difference = firstDifference(frames, this.session.timeline.frames)
    } catch {
      this.difference = undefined
    }
  }

  /** The match was void, usually because the build failed. */
  async #findBuildErrors(source: string): Promise<void> {
    const own = ownSeat(this.match!)
    const draft = own ? await api.submission(own.submission_id) : null
    this.buildLog = draft?.build_log ?? ''
    this.lines = within(findProblems(this.buildLog), source)
    this.#fail(draft?.problem ?? this.match!.void_reason ?? 'The match was void.')
  }

  /** If the bot crashed: the lines named in the last output on stderr. A log that cannot be read has none. */
  async #findCrashLines(source: string): Promise<void> {
    const draft = ownSeat(this.match!)
    const mine = this.match!.seats.find((seat) => seat.submission_id === draft?.submission_id && seat.fault)
    if (!mine) return
    let log = ''
    try {
      for await (const lines of splitLines(await api.seatLog(this.match!.id, mine.seat))) {
        log = lines.map((line) => (JSON.parse(line) as Exchange).e).filter(Boolean).at(-1) ?? log
      }
    } catch {
      return
    }
    this.lines = within(findProblems(log), source)
  }
}

function choiceOf({ opponent, others, entrants, seat, mixed, seed, level }: MatchOptions): Partial<NewMatch> {
  const written = seed.trim()
  const named = others.filter(Boolean).map(Number)
  const first = opponent ? Number(opponent) : null
  return {
    ...(mixed ? { mixed: true } : { seat }),
    ...(named.length ? { opponents: [first, ...named] } : first === null ? {} : { opponent: first }),
    ...(mixed || entrants ? { entrants: mixed || Number(entrants) } : {}),
    ...(written ? { seed: written } : {}),
    ...(level ? { league: Number(level) } : {}),
  }
}

const within = (problems: CodeProblem[], source: string): CodeProblem[] => {
  const last = source.split('\n').length
  return problems.filter((problem) => problem.line <= last)
}
