/* Finds a game's viewer. Each is a chunk of its own, loaded when a match of the game is shown. */
import type { GameViewer } from './game'

const found = import.meta.glob<{ default: unknown }>('../../../games/*/viewer.ts')

/** The viewer of a game, or null when the game has none. */
export async function loadGame(id: string): Promise<GameViewer | null> {
  const load = found[`../../../games/${id}/viewer.ts`]
  // Only the viewer itself knows its Init, Frame and State types.
  return load ? ((await load()).default as GameViewer) : null
}
