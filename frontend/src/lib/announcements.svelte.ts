/* The announcements of organisers, in all open pages. */
import { api } from './client'
import { arenaEvents } from './live'
import type { Announcement } from './types'

class Announcements {
  items = $state.raw<Announcement[]>([])

  async load(): Promise<void> {
    this.items = await api.announcements().then(({ items }) => items, () => this.items)
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
