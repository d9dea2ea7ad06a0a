/* Something that is fetched: loading, loaded, or failed with a message. */
import { ApiError, errorMessage } from './client'

export class Resource<T> {
  value: T | undefined = $state.raw()
  problem = $state('')
  missing = $state(false)
  #call: () => Promise<T>
  #turn = 0
  /** Since the load in progress began; null while there is none. */
  #changes: ((value: T) => T)[] | null = null

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
    this.#changes = []
    try {
      let value: T = await this.#call()
      if (turn !== this.#turn) return undefined
      for (const change of this.#changes) value = change(value)
      this.#changes = null
      this.value = value
      this.problem = ''
      this.missing = false
      return value
    } catch (error) {
      if (turn === this.#turn) {
        this.#changes = null
        this.problem = errorMessage(error)
        this.missing = error instanceof ApiError && error.status === 404
      }
      return undefined
    }
  }

  /** Changes what is loaded, and what is being loaded: the answer that is on its way may be older. */
  amend(change: (value: T) => T): void {
    if (this.value !== undefined) this.value = change(this.value)
    this.#changes?.push(change)
  }
}
