/* The current user. Where the arena has guests, nobody needs to sign in: the first upload makes one. */
import { api } from './client'
import { arenaEvents, renewEvents } from './live'
import { keep } from './storage'
import type { Me } from './types'

/** Kept when somebody signs in or out here: other tabs of the browser hear of it. */
const CHANGED = 'account-changed'

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
    if (!before || (before.id === profile.id && before.kind === profile.kind)) return
    renewEvents()
    keep(CHANGED, String(Date.now()))
  }

  /** Loads it again when somebody signs in or out in another tab, or events were missed: a session may have ended. */
  watch(): () => void {
    const onStorage = (event: StorageEvent): void => {
      if (event.key === CHANGED) void this.refresh()
    }
    addEventListener('storage', onStorage)
    const ended = arenaEvents({ missed: () => void this.refresh() })
    return () => {
      removeEventListener('storage', onStorage)
      ended()
    }
  }

  /** Call after a write: it may have created a guest account. Who signed up in another tab has the id of the guest. */
  async refresh(): Promise<void> {
    const before = this.profile
    await this.load()
    const after = this.profile
    if ((after?.id ?? null) !== (before?.id ?? null) || (before && after?.kind !== before.kind)) renewEvents()
  }
}

export const currentUser = new CurrentUser()
