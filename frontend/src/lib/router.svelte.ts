/* The current address. Links are ordinary <a href>; clicks on them are handled here, without a page load. */
import { rememberList } from './match-list'
import { routeOf, withSearch } from './routes'

class Router {
  pathname = $state(location.pathname)
  search = $state(location.search)
  readonly route = $derived(routeOf(this.pathname))
  readonly params = $derived(new URLSearchParams(this.search))

  constructor() {
    addEventListener('popstate', () => this.#read())
    document.addEventListener('click', (event) => this.#click(event))
  }

  go(address: string): void {
    history.pushState(null, '', address)
    this.#read()
    scrollTo(0, 0)
  }

  /** Changes search parameters of this page without a history entry. */
  set(changes: Record<string, string | null>): void {
    history.replaceState(null, '', withSearch(location.pathname, location.search, changes))
    this.#read()
  }

  #read(): void {
    if (this.pathname !== location.pathname) performance.clearMarks('ready')
    this.pathname = location.pathname
    this.search = location.search
  }

  #click(event: MouseEvent): void {
    const link = (event.target as Element).closest('a')
    if (!link || event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    if (link.target || link.hasAttribute('download') || link.relList.contains('external')) return
    if (link.origin !== location.origin) return
    if (link.pathname.startsWith('/api/')) return
    if (link.hash && link.pathname === location.pathname) return
    event.preventDefault()
    rememberList(link)
    this.go(link.pathname + link.search + link.hash)
  }
}

/** A page calls this once its content is shown. Browser tests and measurements wait for the mark. */
export function pageReady(title: string): void {
  document.title = title === '' ? 'Hexarena' : `${title} · Hexarena`
  if (performance.getEntriesByName('ready').length === 0) performance.mark('ready')
}

export const router = new Router()
