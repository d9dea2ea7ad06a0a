/* The announcements of organisers, in all open pages. */
import { api } from './client'
import { clock } from './clock.svelte'
import { arenaEvents } from './live'
import type { Announcement } from './types'

/** Those that are not over: the arena does not say when one's time is. */
export const stillUp = (items: Announcement[], now: number): Announcement[] => items.filter(({ until }) => until === null || Date.parse(until) > now)

class Announcements {
  #loaded = $state.raw<Announcement[]>([])
  readonly items = $derived(stillUp(this.#loaded, clock.now))

  async load(): Promise<void> {
    this.#loaded = await api.announcements().then(({ items }) => items, () => this.#loaded)
  }
  /** For the top of all pages. */
  get general(): Announcement[] {
    return this.items.filter((one) => one.event_id === null)
  }
  ofEvent(id: number): Announcement[] {
    return this.items.filter((one) => one.event_id === id)
  }
  /** Loads them, and again whenever they change. Returns what ends that. */
  follow(): () => void {
    void this.load()
    return arenaEvents({ announcement: () => void this.load(), missed: () => void this.load() })
  }
}

export const announcements = new Announcements()
