/* Something that is fetched: loading, loaded, or failed with a message. */
import { ApiError, errorMessage } from './client'

export class Resource<T> {
  value: T | undefined = $state.raw()
  problem = $state('')
  missing = $state(false)
  #call: () => Promise<T>
  #turn = 0

  /** `again`: what to do to try again, for pages that keep what was loaded. */
  constructor(
    call: () => Promise<T>,
    readonly again: () => void = () => void this.load(),
  ) {
    this.#call = call
  }

  /** Fetches it, or fetches it again. The old value stays until the new one arrives; the latest call wins. */
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
        this.problem = errorMessage(error)
        this.missing = error instanceof ApiError && error.status === 404
      }
      return undefined
    }
  }
}
