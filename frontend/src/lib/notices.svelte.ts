/* Notices about the user's bots and duels: those so far, and new ones as they come. */
import { api } from './client'
import { arenaEvents } from './live'
import type { Notice } from './types'

export class Notices {
  items: Notice[] = $state.raw([])
  unseen = $state(0)
  /** They could not be read; the next event tries again. */
  failed = $state(false)

  /** Reads them now and whenever there are new ones. Returns a function that ends this. */
  follow(): () => void {
    void this.load()
    return arenaEvents({ notice: () => void this.load(), missed: () => void this.load() })
  }

  async load(): Promise<void> {
    await this.#take(() => api.notices())
  }

  /** Those that are listed. What happens in the meantime stays unseen. */
  async see(): Promise<void> {
    const newest = this.items[0]
    if (newest && this.unseen) await this.#take(() => api.seeNotices(newest.id))
  }

  async #take(read: () => ReturnType<typeof api.notices>): Promise<void> {
    try {
      const list = await read()
      this.items = list.items
      this.unseen = list.unseen
      this.failed = false
    } catch {
      this.failed = true
    }
  }
}
