/* Maps addresses to pages. Pure; router.svelte.ts navigates. */

export type Route =
  | { page: 'home' }
  | { page: 'game'; game: string }
  | { page: 'play'; game: string }
  | { page: 'match'; match: number }
  | { page: 'matches' }
  | { page: 'bots' }
  | { page: 'watch' }
  | { page: 'bot'; bot: number }
  | { page: 'account' }
  | { page: 'organise' }
  | { page: 'missing' }

const NAME = /^[a-z0-9_-]+$/
const NUMBER = /^[1-9][0-9]{0,15}$/

export function routeOf(pathname: string): Route {
  const [first = '', second, ...more] = pathname.split('/').filter(Boolean)
  if (more.length > 0) return { page: 'missing' }
  if (second === undefined) {
    if (first === '') return { page: 'home' }
    if (first === 'matches' || first === 'bots' || first === 'watch' || first === 'account' || first === 'organise')
      return { page: first }
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

/** The page that signs in and then comes back to `address`. */
export const signInAddress = (address: string): string => withSearch('/account', '', { next: address })

/** Where to go after signing in: an address of this arena's pages, or null. */
export function nextAddress(search: string): string | null {
  const next = new URLSearchParams(search).get('next') ?? ''
  // Browsers read a backslash as a slash, and two slashes as another host.
  return /^\/(?![/\\])/.test(next) ? next : null
}
