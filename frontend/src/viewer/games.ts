/*
 * Finds a game's viewer. Each is a chunk of its own, loaded when a match of the game is shown. The viewer of a game from
 * outside the repository is one file that the server has (`backend/runtime/pages.py`), which the page asks for by name.
 */
import type { GameViewer } from './game'

const found = import.meta.glob<{ default: unknown }>('../../../games/*/viewer.ts')

/** The viewer of a game, or null when the game has none. `address`: of a module that is to be used instead. */
export async function loadGame(id: string, address?: string): Promise<GameViewer | null> {
  if (address) return await loadFrom(address)
  const load = found[`../../../games/${id}/viewer.ts`]
  // Only the viewer itself knows its Init, Frame and State types.
  return load ? ((await load()).default as GameViewer) : await loadOutsider(id)
}

/** The module of a game's viewer that is not part of the pages, as text; null for all others. */
export async function outsideViewer(id: string): Promise<string | null> {
  if (found[`../../../games/${id}/viewer.ts`] || !ID.test(id)) return null
  const answer = await fetch(addressOf(id))
  return isModule(answer) ? await answer.text() : null
}

const ID = /^[a-z][a-z0-9_]*$/
const addressOf = (id: string): string => `/viewers/${id}.js`
const isModule = (answer: Response): boolean =>
  answer.ok && (answer.headers.get('content-type')?.includes('javascript') ?? false)

const INLINE = 'viewer'

/** A viewer that the server has, or that came with the page. */
async function loadOutsider(id: string): Promise<GameViewer | null> {
  if (!ID.test(id)) return null
  const carried = document.getElementById(INLINE)?.textContent?.trim()
  if (carried) return await imported(URL.createObjectURL(new Blob([carried], { type: 'text/javascript' })))
  return await loadFrom(addressOf(id))
}

/** A viewer that the server has at this address, or null. */
async function loadFrom(address: string): Promise<GameViewer | null> {
  // A module that is missing and one that throws fail alike; only the answer itself says which.
  const answer = await fetch(address, { method: 'HEAD' })
  if (!isModule(answer)) return null
  return await imported(address)
}

async function imported(address: string): Promise<GameViewer | null> {
  const module = (await import(/* @vite-ignore */ address)) as { default?: unknown }
  return isViewer(module.default) ? module.default : null
}

const isViewer = (found: unknown): found is GameViewer =>
  typeof found === 'object' &&
  found !== null &&
  ['start', 'step', 'bounds', 'draw'].every((name) => typeof (found as Record<string, unknown>)[name] === 'function')
