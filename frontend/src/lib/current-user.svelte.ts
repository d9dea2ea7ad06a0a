/* The current user. Where the arena has guests, nobody needs to sign in: the first upload makes one. */
import { api } from './client'
import { renewEvents } from './live'
import type { Me } from './types'

class CurrentUser {
  profile: Me | null = $state.raw(null)

  async load(): Promise<void> {
    try {
      this.profile = await api.me()
    } catch {
      // The page itself reports that the arena cannot be reached.
    }
  }

  /** Call after signing in, up or out, or with what changed. */
  become(profile: Me): void {
    const before = this.profile
    this.profile = profile
    if (before && (before.id !== profile.id || before.kind !== profile.kind)) renewEvents()
  }

  /** Call after a write: it may have created a guest account. */
  async refresh(): Promise<void> {
    const before = this.profile?.id ?? null
    await this.load()
    if ((this.profile?.id ?? null) !== before) renewEvents()
  }
}

export const currentUser = new CurrentUser()
