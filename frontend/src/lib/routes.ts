/* Maps addresses to pages. Pure; router.svelte.ts navigates. */

export type Route =
  | { page: 'home' }
  | { page: 'game'; game: string }
  | { page: 'play'; game: string }
  | { page: 'in-person'; game: string }
  | { page: 'match'; match: number }
  | { page: 'embed'; match: number }
  | { page: 'matches' }
  | { page: 'bots' }
  | { page: 'duels' }
  | { page: 'duel'; duel: number }
  | { page: 'events' }
  | { page: 'event'; event: number }
  | { page: 'new-event' }
  | { page: 'show'; event: number }
  | { page: 'classes' }
  | { page: 'class'; class: number }
  | { page: 'similar'; class: number; report: number; pair: number }
  | { page: 'diff' }
  | { page: 'watch' }
  | { page: 'dev' }
  | { page: 'compare' }
  | { page: 'bot'; bot: number }
  | { page: 'person'; person: number }
  | { page: 'account' }
  | { page: 'organise' }
  | { page: 'status' }
  | { page: 'missing' }

const NAME = /^[a-z0-9_-]+$/
const NUMBER = /^[1-9][0-9]{0,15}$/

const PLAIN = ['matches', 'bots', 'duels', 'events', 'classes', 'diff', 'watch', 'dev', 'compare', 'account', 'organise', 'status'] as const
const isPlain = (name: string): name is (typeof PLAIN)[number] => (PLAIN as readonly string[]).includes(name)

export function routeOf(pathname: string): Route {
  const [first = '', second, ...more] = pathname.split('/').filter(Boolean)
  if (first === 'embed' && second === 'matches' && more.length === 1 && NUMBER.test(more[0]!)) return { page: 'embed', match: Number(more[0]) }
  if (first === 'events' && second !== undefined && NUMBER.test(second) && more.length === 1 && more[0] === 'show') return { page: 'show', event: Number(second) }
  if (first === 'classes' && more.length === 3 && more[0] === 'similarity' && [second!, more[1]!, more[2]!].every((part) => NUMBER.test(part)))
    return { page: 'similar', class: Number(second), report: Number(more[1]), pair: Number(more[2]) }
  if (more.length > 0) return { page: 'missing' }
  if (second === undefined) {
    if (first === '') return { page: 'home' }
    return isPlain(first) ? { page: first } : { page: 'missing' }
  }
  if (first === 'games' && NAME.test(second)) return { page: 'game', game: second }
  if (first === 'play' && NAME.test(second)) return { page: 'play', game: second }
  if (first === 'in-person' && NAME.test(second)) return { page: 'in-person', game: second }
  if (first === 'matches' && NUMBER.test(second)) return { page: 'match', match: Number(second) }
  if (first === 'duels' && NUMBER.test(second)) return { page: 'duel', duel: Number(second) }
  if (first === 'events' && second === 'new') return { page: 'new-event' }
  if (first === 'events' && NUMBER.test(second)) return { page: 'event', event: Number(second) }
  if (first === 'classes' && NUMBER.test(second)) return { page: 'class', class: Number(second) }
  if (first === 'people' && NUMBER.test(second)) return { page: 'person', person: Number(second) }
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

/** A turn of a match; of a replay that is none of the arena's (`match` undefined), the rest of the page's address names it. */
export const turnAddress = (match: number | undefined, { pathname, search }: { pathname: string; search: string }, turn: string): string =>
  match === undefined ? withSearch(pathname, search, { turn }) : withSearch(`/matches/${match}`, '', { turn })

/** The page that signs in and then comes back to `address`. */
export const signInAddress = (address: string): string => withSearch('/account', '', { next: address })

/** Where to go after signing in: an address of this arena's pages, or null. */
export function nextAddress(search: string): string | null {
  const next = new URLSearchParams(search).get('next') ?? ''
  return isOwnPath(next) ? next : null
}

/** Browsers read a backslash as a slash, two slashes as another host, and leave out tabs and line breaks. */
export const isOwnPath = (address: string): boolean => /^\/(?![/\\\t\n\r])/.test(address)
