/* A form: whether it is being sent, and what was wrong in which field. What was typed stays until it has arrived. */
import { tick } from 'svelte'
import { problemsByField } from './account'

type Problems<Field extends string> = Partial<Record<Field | '', string>>
/** Field -> what it holds, what to show when that is nothing. */
type Required<Field extends string> = Partial<Record<Field, readonly [string, string]>>

export class Form<Field extends string> {
  sending = $state(false)
  /** Shown beside the fields; '' for the form as a whole. */
  problems: Problems<Field> = $state.raw({})
  #fields: readonly Field[]

  constructor(...fields: Field[]) {
    this.#fields = fields
  }

  /**
   * Sends it, unless a required field is empty, or one is half filled: its value is empty, but none is not what is meant.
   * Undefined: it was refused, and the first wrong field has the focus.
   */
  async send<T>(event: SubmitEvent, required: Required<Field>, call: () => Promise<T>): Promise<T | undefined> {
    event.preventDefault()
    if (this.sending) return undefined
    const form = event.currentTarget as HTMLFormElement
    const half = [...form.querySelectorAll('input')].filter((input) => input.validity.badInput)
    this.problems = { ...emptyFields(required), ...this.#halfFilled(half) }
    try {
      if (Object.keys(this.problems).length > 0) return undefined
      this.sending = true
      return await call()
    } catch (error) {
      this.problems = problemsByField(error, this.#fields) as Problems<Field>
      return undefined
    } finally {
      this.sending = false
      await tick()
      const wrong = form.querySelector<HTMLElement>('[aria-invalid="true"]') ?? half[0]
      wrong?.focus()
    }
  }

  #halfFilled(inputs: HTMLInputElement[]): Problems<Field> {
    const named = (name: string): Field | '' => this.#fields.find((field) => field === name) ?? ''
    return Object.fromEntries(
      inputs.map(({ name, type }) => [named(name), type === 'number' ? 'Enter a number.' : 'Enter a date and a time.']),
    ) as Problems<Field>
  }
}

function emptyFields<Field extends string>(required: Required<Field>): Problems<Field> {
  const entries = Object.entries(required) as [string, readonly [string, string]][]
  const empty = entries.filter(([, [value]]) => value.trim() === '')
  return Object.fromEntries(empty.map(([field, [, message]]) => [field, message])) as Problems<Field>
}
