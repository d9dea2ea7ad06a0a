/* Which address is which page. Pure; router.svelte.ts moves between them. */

export type Route =
  | { page: 'home' }
  | { page: 'game'; game: string }
  | { page: 'play'; game: string }
  | { page: 'match'; match: number }
  | { page: 'matches' }
  | { page: 'bots' }
  | { page: 'watch' }
  | { page: 'bot'; bot: number }
  | { page: 'missing' }

const NAME = /^[a-z0-9_-]+$/
const NUMBER = /^[1-9][0-9]{0,15}$/

export function routeOf(pathname: string): Route {
  const [first = '', second, ...more] = pathname.split('/').filter(Boolean)
  if (more.length > 0) return { page: 'missing' }
  if (second === undefined) {
    if (first === '') return { page: 'home' }
    if (first === 'matches' || first === 'bots' || first === 'watch') return { page: first }
    return { page: 'missing' }
  }
  if (first === 'games' && NAME.test(second)) return { page: 'game', game: second }
  if (first === 'play' && NAME.test(second)) return { page: 'play', game: second }
  if (first === 'matches' && NUMBER.test(second)) return { page: 'match', match: Number(second) }
  if (first === 'bots' && NUMBER.test(second)) return { page: 'bot', bot: Number(second) }
  return { page: 'missing' }
}

/** The address with some search parameters changed; empty values leave it. */
export function withSearch(pathname: string, search: string, changes: Record<string, string | null>): string {
  const params = new URLSearchParams(search)
  for (const [name, value] of Object.entries(changes)) {
    if (value) params.set(name, value)
    else params.delete(name)
  }
  const text = params.toString()
  return text ? `${pathname}?${text}` : pathname
}
