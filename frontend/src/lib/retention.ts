/* How long a match's replay is kept, where the arena deletes old ones. */
import type { Match, Retention } from './types'

const DAY_MS = 86_400_000

/** When the replay may be deleted, as an ISO time; null: never, or not known yet. */
export function keptUntil(match: Pick<Match, 'kind' | 'finished_at'>, retention: Retention | null): string | null {
  const days = match.kind === 'practice' ? retention?.practice_replays : retention?.replays
  if (!days || !match.finished_at) return null
  return new Date(Date.parse(match.finished_at) + days * DAY_MS).toISOString()
}
