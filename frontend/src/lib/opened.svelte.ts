/* One of a list that is open, and read anew whenever something has happened in the list. */
import { untrack } from 'svelte'
import { errorMessage } from './client'

interface Numbered {
  id: number
}

export class Opened<T extends Numbered> {
  value = $state.raw<T | null>(null)
  refused = $state('')
  #wanted: number | null = null

  /** `read`: fetches one. `listed`: those that there are now; made while a component is. */
  constructor(
    private readonly read: (id: number) => Promise<T>,
    listed: () => Numbered[],
  ) {
    $effect(() => {
      const fresh = listed()
      untrack(() => {
        if (fresh.some((one) => one.id === this.value?.id)) void this.#load(this.value!.id)
      })
    })
  }

  /** Opens it, or closes it if it is open. */
  async toggle(id: number): Promise<void> {
    this.#wanted = this.#wanted === id ? null : id
    this.value = null
    this.refused = ''
    if (this.#wanted !== null) await this.#load(id)
  }

  /** Does something with the open one, which is then as `call` returns it, unless another one is open by then. */
  async change(call: Promise<T>): Promise<void> {
    try {
      const changed = await call
      if (this.#wanted === changed.id) this.value = changed
    } catch (error) {
      this.refused = errorMessage(error)
    }
  }

  async #load(id: number): Promise<void> {
    this.refused = ''
    try {
      const found = await this.read(id)
      if (this.#wanted === id) this.value = found
    } catch (error) {
      if (this.#wanted !== id) return
      this.refused = errorMessage(error)
      // What is not shown is opened by the next click, not closed.
      if (this.value === null) this.#wanted = null
    }
  }
}
