/* A list that comes in pages: the first one, and more of them as the reader asks. */
import { Resource } from './resource.svelte'

export const LOADING = 'Loading…'
const FAILED = 'Could not load more. Try again.'

export interface Page<T> {
  items: T[]
  next: string | null
}

export class Pages<T, P extends Page<T> = Page<T>> {
  readonly page: Resource<P>
  /** What the button says in place of its name: that it loads, or why it could not. */
  more = $state('')
  #ask: (after?: string) => Promise<P>

  /** `ask`: for the page after this cursor, or the first one. */
  constructor(ask: (after?: string) => Promise<P>) {
    this.#ask = ask
    this.page = new Resource<P>(() => ask(), () => void this.load())
  }

  /** The first page. */
  load(): Promise<P | undefined> {
    this.more = ''
    // Without it, it would do again what `reload` did.
    return this.page.load(() => this.#ask())
  }

  /** Reads again what is shown, as far as it goes. */
  reload(): Promise<P | undefined> {
    const shown = (): number => this.page.value?.items.length ?? 0
    return this.page.load(async () => {
      let found = await this.#ask()
      while (found.next && found.items.length < shown()) found = joined(found, await this.#ask(found.next))
      return found
    })
  }

  async loadMore(): Promise<void> {
    const before = this.page.value
    if (this.more === LOADING || !before?.next) return
    this.more = LOADING
    try {
      const next = await this.#ask(before.next)
      // It may have been read again meanwhile, and end somewhere else.
      if (this.page.value?.next === before.next) this.page.value = joined(this.page.value, next)
      this.more = ''
    } catch {
      this.more = FAILED
    }
  }
}

const joined = <T, P extends Page<T>>(shown: P, next: P): P => ({ ...next, items: [...shown.items, ...next.items] })
