/*
 * Whether the arena is in reach, as the tab's event stream finds out: the lamp shows it on all pages, and what could not
 * be loaded is loaded again once the arena is back.
 */

/** `lost`: the arena does not answer; `offline`: this computer has no network. */
export type Reach = 'connecting' | 'live' | 'lost' | 'offline'

class Connection {
  reach: Reach = $state('connecting')
  /** Since when, in milliseconds. */
  since = $state(Date.now())
  /** The arena's disk is full: it takes and plays nothing new. */
  diskFull = $state(false)
  readonly #back = new Set<() => void>()

  become(reach: Reach): void {
    if (reach === this.reach) return
    const wasAway = this.reach === 'lost' || this.reach === 'offline'
    // From offline to unreachable it is the same outage.
    if (!wasAway || reach === 'live') this.since = Date.now()
    this.reach = reach
    if (wasAway && reach === 'live') for (const act of [...this.#back]) act()
  }

  /** Calls it each time the arena is back. Returns a function that ends this. */
  whenBack(act: () => void): () => void {
    this.#back.add(act)
    return () => this.#back.delete(act)
  }
}

export const connection = new Connection()
