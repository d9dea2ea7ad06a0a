/* The time as a page that stays open says it. It moves on every half minute, while somebody looks. */
import { agoAt } from './format'

const TICK_MS = 30_000

class Clock {
  now = $state(Date.now())

  constructor() {
    if (typeof document === 'undefined') return
    const tick = (): void => {
      if (!document.hidden) this.now = Date.now()
    }
    setInterval(tick, TICK_MS)
    document.addEventListener('visibilitychange', tick)
  }
}

export const clock = new Clock()

/** How long ago that is, in one word or two. Reactive: use it in markup or in what is derived. */
export const ago = (time: string): string => agoAt(time, clock.now)
