/* Something that is being fetched: not there yet, there, or failed with words. */
import { ApiError, words } from './client'

export class Loaded<T> {
  value: T | undefined = $state.raw()
  problem = $state('')
  missing = $state(false)
  #call: () => Promise<T>
  #turn = 0

  constructor(call: () => Promise<T>) {
    this.#call = call
  }

  /** Fetches it (anew). The value that is there stays until the new one comes; of two calls the later one counts. */
  async load(call?: () => Promise<T>): Promise<T | undefined> {
    if (call) this.#call = call
    const turn = ++this.#turn
    try {
      const value = await this.#call()
      if (turn !== this.#turn) return undefined
      this.value = value
      this.problem = ''
      this.missing = false
      return value
    } catch (error) {
      if (turn === this.#turn) {
        this.problem = words(error)
        this.missing = error instanceof ApiError && error.status === 404
      }
      return undefined
    }
  }
}
