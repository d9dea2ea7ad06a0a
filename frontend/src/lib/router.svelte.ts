/* The current address. Links are ordinary <a href>; clicks on them are handled here, without a page load. */
import { rememberList } from './match-list'
import { routeOf, withSearch } from './routes'

/** What a page showed when it was left, kept in its history entry. */
interface Left {
  scroll?: number
  lists?: Record<string, unknown>
}

const SCROLLED_MS = 200
/** For so long a page that is come back to may take to be as high as it was. */
const PATIENCE_MS = 10_000

class Router {
  pathname = $state(location.pathname)
  search = $state(location.search)
  /** The title of a page that a link led to: a browser reads only those of pages that it loads. */
  announced = $state('')
  readonly route = $derived(routeOf(this.pathname))
  readonly params = $derived(new URLSearchParams(this.search))

  /** Another page was gone to, and is not shown yet. */
  #followed = false
  /** Of the page that is shown, if it is come back to. */
  #left: Left = {}
  #scrolled = 0
  #restoring: AbortController | null = null

  constructor() {
    history.scrollRestoration = 'manual'
    const [opened] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
    // Whoever reloads a list wants its newest rows.
    if (opened?.type === 'back_forward') this.#left = leftIn(history.state)
    if (opened?.type === 'reload' || opened?.type === 'back_forward') this.#restore(leftIn(history.state).scroll)
    addEventListener('popstate', (event) => {
      clearTimeout(this.#scrolled)
      this.#left = leftIn(event.state)
      this.#restore(this.#left.scroll)
      this.#read()
    })
    addEventListener('scroll', () => {
      clearTimeout(this.#scrolled)
      this.#scrolled = window.setTimeout(() => this.#keepScroll(), SCROLLED_MS)
    })
    document.addEventListener('click', (event) => this.#click(event))
  }

  go(address: string): void {
    this.#keepScroll()
    clearTimeout(this.#scrolled)
    this.#restoring?.abort()
    this.#left = {}
    history.pushState(null, '', address)
    this.#read()
    scrollTo(0, 0)
  }

  /** Changes search parameters of this page without a history entry. */
  set(changes: Record<string, string | null>): void {
    history.replaceState(history.state, '', withSearch(location.pathname, location.search, changes))
    this.#read()
  }

  /** How far a list of this page went when it was left; undefined on a first visit. Only its first reader gets it. */
  left<T>(list: string): T | undefined {
    const found = this.#left.lists?.[list] as T | undefined
    delete this.#left.lists?.[list]
    return found
  }

  /** Notes how far a list of this page goes, for whoever comes back to it. */
  keep(list: string, value: unknown): void {
    const left = leftIn(history.state)
    this.#write({ ...left, lists: { ...left.lists, [list]: value } })
  }

  #keepScroll(): void {
    if (!this.#restoring) this.#write({ ...leftIn(history.state), scroll: scrollY })
  }

  #write(left: Left): void {
    history.replaceState({ left }, '')
  }

  /** Scrolls there as soon as the page is high enough, unless the user scrolls. */
  #restore(scroll: number | undefined): void {
    this.#restoring?.abort()
    if (scroll === undefined) return
    const restoring = (this.#restoring = new AbortController())
    const { signal } = restoring
    const sizes = new ResizeObserver(() => scrollTo(0, scroll))
    sizes.observe(document.body)
    const stop = (): void => restoring.abort()
    const late = setTimeout(stop, PATIENCE_MS)
    for (const act of ['wheel', 'touchstart', 'pointerdown', 'keydown']) addEventListener(act, stop, { signal, passive: true })
    signal.addEventListener('abort', () => {
      sizes.disconnect()
      clearTimeout(late)
      if (this.#restoring === restoring) this.#restoring = null
    })
  }

  #read(): void {
    if (this.pathname !== location.pathname) {
      performance.clearMarks('ready')
      this.#followed = true
    }
    this.pathname = location.pathname
    this.search = location.search
  }

  /** The page that a link led to is shown. Its content has the focus where the link had it and is gone. */
  arrived(title: string): void {
    if (!this.#followed) return
    this.#followed = false
    this.announced = title
    const main = document.getElementById('main')
    if (!main || document.activeElement !== document.body) return
    main.tabIndex = -1
    main.focus({ preventScroll: true })
  }

  #click(event: MouseEvent): void {
    const link = (event.target as Element).closest('a')
    if (!link || event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    if (link.target || link.hasAttribute('download') || link.relList.contains('external')) return
    if (link.origin !== location.origin) return
    if (this.route.page === 'embed') {
      // The frame of another site is for the match alone: no other page may be shown there, under whatever lies over it.
      link.target = '_blank'
      link.rel = 'noopener'
      return
    }
    if (link.pathname.startsWith('/api/')) return
    if (link.hash && link.pathname === location.pathname) return
    event.preventDefault()
    rememberList(link)
    this.go(link.pathname + link.search + link.hash)
  }
}

const leftIn = (state: unknown): Left => ({ ...(state as { left?: Left } | null)?.left })

/** A page calls this once its content is shown. Browser tests and measurements wait for the mark.
 *  `path`: the page's, where it had to wait: what was left meanwhile says nothing about the page that is shown. */
export function pageReady(title: string, path = location.pathname): void {
  if (path !== location.pathname) return
  document.title = title === '' ? 'Hexarena' : `${title} · Hexarena`
  if (performance.getEntriesByName('ready').length === 0) performance.mark('ready')
  router.arrived(title || 'Hexarena')
}

export const router = new Router()
