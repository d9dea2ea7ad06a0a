/* `window.hexarena`, for browser tests and measurements: the session that is shown, and how often a canvas was painted. */

interface Hooks {
  framesPainted: number
  viewer?: { play: unknown; timeline: unknown }
}
declare global {
  interface Window {
    hexarena: Hooks
  }
}

export const hooks: Hooks = { framesPainted: 0 }
if (typeof window !== 'undefined') window.hexarena = hooks
