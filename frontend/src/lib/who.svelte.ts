/* Who the user is. Nobody needs to sign in: the first upload makes a guest of a visitor. */
import { api } from './client'
import { renewEvents } from './live'
import type { Me } from './types'

class Who {
  me: Me | null = $state.raw(null)

  async load(): Promise<void> {
    try {
      this.me = await api.me()
    } catch {
      // The page says itself that the arena cannot be reached.
    }
  }

  /** After something was written, which may have made a guest of us. */
  async wrote(): Promise<void> {
    const before = this.me?.id ?? null
    await this.load()
    if ((this.me?.id ?? null) !== before) renewEvents()
  }
}

export const who = new Who()
