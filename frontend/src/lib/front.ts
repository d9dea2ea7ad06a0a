/* What the home page shows of matches. */
import type { Match } from './types'

/** The match that the server chose and named in the page's head, with its replay (backend/api/pages/heads.py). */
export interface FrontMatch {
  game: string
  match: number
  over: boolean
}

/** From the content of the page's tag, e.g. `ants 12 done`; null if it is none. */
export function readFrontMatch(content: string): FrontMatch | null {
  const [game, match, state] = content.split(' ')
  return game && Number(match) > 0 ? { game, match: Number(match), over: state === 'done' } : null
}

/** It is taken once: whoever comes back to the home page later sees a newer match. */
export function takeFrontMatch(): FrontMatch | null {
  const tag = document.querySelector<HTMLMetaElement>('meta[name="front-match"]')
  tag?.remove()
  return tag && readFrontMatch(tag.content)
}

/** The matches that are being played, after one has changed. Duels are not among them, as in lists of matches. */
export function withChanged(running: Match[], changed: Match): Match[] {
  const others = running.filter(({ id }) => id !== changed.id)
  return changed.state === 'running' && changed.kind !== 'duel' ? [...others, changed] : others
}
