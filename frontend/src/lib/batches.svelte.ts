/*
 * The batch that is shown beside the editor: chosen, started, followed, stopped. Of a game there is one at a time; the
 * last one is there again when the page is opened anew.
 */
import { seedsFor, SEATS } from './batches'
import { api, errorMessage, wantsSignIn } from './client'
import { currentUser } from './current-user.svelte'
import { arenaEvents } from './live'
import { keep, readKept } from './storage'
import type { Batch } from './types'

const WANTED_SEEDS = 5
/** Every match that ends is an event; the table is asked for this often at most. */
const PAUSE_MS = 400

export class Batches {
  /** Ids of the bots that are chosen. */
  opponents: number[] = $state.raw([])
  seeds = $state(WANTED_SEEDS)
  /** How many matches a batch may have. */
  most = $state(20)
  batch: Batch | null = $state.raw(null)
  sending = $state(false)
  problem = $state('')
  signIn = $state(false)
  readonly count = $derived(SEATS * this.opponents.length * this.seeds)
  readonly running = $derived(this.sending || (this.batch !== null && !this.batch.over))
  readonly ready = $derived(!this.running && this.opponents.length > 0 && this.count <= this.most)

  #waiting = 0
  /** What the user chose before it was loaded stays. */
  #chosen = { opponents: false, seeds: false }

  constructor(readonly game: string) {}

  /** Follows the user's matches. Returns a function that stops it. */
  follow(): () => void {
    const unfollow = arenaEvents({
      match: (match) => {
        if (this.#has(match.id)) this.#refreshSoon()
      },
      missed: () => void this.#refresh(),
    })
    return () => {
      clearTimeout(this.#waiting)
      unfollow()
    }
  }

  /** `bots`: those to choose from, the likely ones first. */
  async load(bots: number[]): Promise<void> {
    const kept = (readKept(this.#key) ?? '').split(',').map(Number)
    const known = kept.filter((id) => bots.includes(id))
    try {
      const { items, most_matches } = await api.batches(this.game)
      this.most = most_matches
      // One may have been started in the meantime.
      if (!this.batch && !this.sending) this.batch = items[0] ?? null
    } catch {
      // A batch can be started all the same.
    }
    if (!this.#chosen.opponents) this.opponents = known.length ? known : bots.slice(0, 3)
    if (!this.#chosen.seeds) this.seeds = seedsFor(this.opponents.length, this.most, WANTED_SEEDS)
  }

  choose(opponents: number[]): void {
    this.#chosen.opponents = true
    this.opponents = opponents
    keep(this.#key, opponents.join(','))
  }
  chooseSeeds(seeds: number): void {
    this.#chosen.seeds = true
    this.seeds = seeds
  }

  async start(code: { language: string; source: string }, level: string): Promise<void> {
    this.sending = true
    this.problem = ''
    this.signIn = false
    try {
      const league = level ? { league: Number(level) } : {}
      this.batch = await api.startBatch({ game: this.game, ...code, ...league, opponents: this.opponents, seeds: this.seeds })
      await currentUser.refresh()
    } catch (error) {
      this.signIn = wantsSignIn(error)
      this.problem = errorMessage(error)
    } finally {
      this.sending = false
    }
    // A guest's first request makes the event stream start anew, so events may have been missed.
    await this.#refresh()
  }

  async stop(): Promise<void> {
    try {
      if (this.batch) this.batch = await api.stopBatch(this.batch.id)
    } catch (error) {
      this.problem = errorMessage(error)
    }
  }

  #has(match: number): boolean {
    return this.batch?.rows.some((row) => row.matches.some((one) => one.match_id === match)) ?? false
  }

  #refreshSoon(): void {
    this.#waiting ||= setTimeout(() => {
      this.#waiting = 0
      void this.#refresh()
    }, PAUSE_MS) as unknown as number
  }

  async #refresh(): Promise<void> {
    const shown = this.batch
    if (!shown || shown.over) return
    const now = await api.batch(shown.id).catch(() => null)
    if (now && this.batch?.id === now.id) this.batch = now
  }

  get #key(): string {
    return `hexarena.batch.${this.game}`
  }
}
