/* Games' titles, by id. All components share one request; until it is answered, a game is called by its id. */
import { api } from './client'
import { connection } from './connection.svelte'

const known: Record<string, string> = $state({})
let asked = false

/** E.g. "Conway's Battlegrounds". Reactive: use it in markup or in what is derived. */
export function titleOf(game: string): string {
  if (!(game in known)) void load()
  return known[game] ?? game
}

async function load(): Promise<void> {
  if (asked) return
  asked = true
  try {
    for (const one of await api.games()) known[one.id] = one.title
  } catch {
    asked = false // The next game that is named asks again.
    // Nothing is named again on a page that was opened offline from what the browser keeps.
    const end = connection.whenBack(() => {
      end()
      void load()
    })
  }
}
