/*
 * A list of matches that does not move under the pointer: matches in it change in their places, new ones wait above it
 * until the reader asks for them.
 */
import type { Match } from './types'

/** More are not kept: whoever wants to see so many loads the list anew. */
export const MOST_WAITING = 100

export class MatchFeed {
  shown: Match[] = $state.raw([])
  /** Newest first. */
  waiting: Match[] = $state.raw([])

  /** What came since each request began that has no answer yet. */
  readonly #requests = new Set<Map<number, [match: Match, fits: boolean]>>()

  /** `most`: how many are shown; older ones leave. */
  constructor(readonly most = Infinity) {}

  /** Call it when a request for matches begins, and what it returns at its end, with what shows the answer: matches that
   *  changed meanwhile are newer. `failed`: an empty list gets those at least. Without either, the request was given up. */
  begin(): (show?: (() => void) | 'failed') => void {
    const meanwhile = new Map<number, [Match, boolean]>()
    this.#requests.add(meanwhile)
    return (show) => {
      this.#requests.delete(meanwhile)
      if (!show) return
      if (show !== 'failed') show()
      // A list that is shown has been kept up to date.
      else if (this.shown.length > 0) return
      for (const [match, fits] of [...meanwhile.values()].sort(([a], [b]) => a.id - b.id)) this.#change(match, fits)
    }
  }

  /** `newest`: the newest that the reader has seen, if that is in the list. Those above it wait. */
  reset(matches: Match[], newest = Infinity): void {
    const seen = matches.some(({ id }) => id <= newest)
    this.shown = seen ? matches.filter(({ id }) => id <= newest) : matches
    this.waiting = seen ? matches.filter(({ id }) => id > newest).slice(0, MOST_WAITING) : []
  }

  /** Adds older ones at the end. */
  append(matches: Match[]): void {
    this.shown = [...this.shown, ...matches]
  }

  /** A match that changed, or is new. `fits`: it belongs here if it is new. */
  apply(match: Match, fits: boolean): void {
    for (const meanwhile of this.#requests) meanwhile.set(match.id, [match, fits])
    this.#change(match, fits)
  }

  #change(match: Match, fits: boolean): void {
    const replaced = (list: Match[]): Match[] => list.map((other) => (other.id === match.id ? match : other))
    if (this.shown.some(({ id }) => id === match.id)) this.shown = replaced(this.shown)
    else if (this.waiting.some(({ id }) => id === match.id)) this.waiting = replaced(this.waiting)
    else if (fits && !this.#loading && match.id > (this.shown[0]?.id ?? 0)) this.#add(match)
  }

  /** Shows what waits. */
  reveal(): void {
    this.shown = [...this.waiting, ...this.shown].slice(0, this.most)
    this.waiting = []
  }

  /** Nothing is here yet, but will be. */
  get #loading(): boolean {
    return this.shown.length === 0 && this.#requests.size > 0
  }

  #add(match: Match): void {
    this.waiting = [match, ...this.waiting].sort((a, b) => b.id - a.id).slice(0, MOST_WAITING)
    // Nothing can move in an empty list.
    if (this.shown.length === 0) this.reveal()
  }
}
