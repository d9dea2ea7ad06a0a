/*
 * Learn the game: a game's lessons, and the attempts at them. Nothing waits for the lessons; where they could not be
 * loaded, there are none.
 */
import { SvelteMap } from 'svelte/reactivity'
import { api, errorMessage, wantsSignIn } from './client'
import { currentUser } from './current-user.svelte'
import { arenaEvents } from './live'
import type { Lesson, LessonAttempt, NewAttempt } from './types'

export class Lessons {
  items: Lesson[] = $state.raw([])
  /** Matches of an attempt, and how many of them must be won. */
  matches = $state(5)
  wins = $state(3)
  /** The newest attempt at each lesson that was shown; those that play are followed, whichever lesson is shown. */
  readonly #attempts = new SvelteMap<number, LessonAttempt>()
  #shown = $state(0)
  /** The one at the lesson that is shown. */
  readonly attempt = $derived(this.#attempts.get(this.#shown) ?? null)
  /** The last attempt that was made on this page, with its code. */
  tried: { id: number; code: NewAttempt } | null = $state.raw(null)
  sending = $state(false)
  problem = $state('')
  signIn = $state(false)
  readonly passed = $derived(this.items.filter((one) => one.passed).length)
  /** The first lesson that is not passed, else the last. */
  readonly next = $derived(this.items.find((one) => !one.passed) ?? this.items.at(-1))
  readonly playing = $derived(this.sending || [...this.#attempts.values()].some((one) => !one.over))

  constructor(readonly game: string) {}

  /** Follows the user's matches. Returns a function that stops it. */
  follow(): () => void {
    return arenaEvents({
      match: (match) => {
        const attempts = [...this.#attempts.values()]
        if (attempts.some(({ matches }) => matches.some((one) => one.match_id === match.id))) void this.#refresh()
      },
      missed: () => void this.#refresh(),
    })
  }

  async load(): Promise<void> {
    try {
      const found = await api.lessons(this.game)
      this.items = found.items
      this.matches = found.matches
      this.wins = found.wins
    } catch {
      // Those that were loaded before stay.
    }
  }

  lesson(number: number): Lesson | undefined {
    return this.items.find((one) => one.number === number)
  }

  /** Shows the newest attempt at a lesson, if there is any. */
  async show(number: number): Promise<void> {
    this.problem = ''
    this.#shown = number
    const latest = this.lesson(number)?.latest
    if (!latest || this.#attempts.has(number)) return
    const found = await api.lessonAttempt(this.game, number, latest).catch(() => null)
    // A new one may have been made in the meantime.
    if (found && !this.#attempts.has(number)) this.#attempts.set(number, found)
  }

  async try(number: number, code: NewAttempt): Promise<void> {
    this.sending = true
    this.problem = ''
    this.signIn = false
    this.#shown = number
    try {
      const made = await api.tryLesson(this.game, number, code)
      this.#attempts.set(number, made)
      this.tried = { id: made.id, code }
      await currentUser.refresh()
    } catch (error) {
      this.signIn = wantsSignIn(error)
      this.problem = errorMessage(error)
    } finally {
      this.sending = false
    }
    // A guest's first request makes the event stream start anew, so events may have been missed.
    await this.#refresh()
  }

  async #refresh(): Promise<void> {
    const playing = [...this.#attempts.values()].filter((one) => !one.over)
    const ended = await Promise.all(playing.map((one) => this.#read(one)))
    if (ended.some(Boolean)) await this.load()
  }

  /** Returns whether the lesson's mark may have changed. */
  async #read({ lesson, id }: LessonAttempt): Promise<boolean> {
    const now = await api.lessonAttempt(this.game, lesson, id).catch(() => null)
    const known = this.#attempts.get(lesson)
    // Of two answers the later one may arrive first.
    if (!now || known?.id !== id || known.over) return false
    this.#attempts.set(lesson, now)
    return now.over || now.passed
  }
}
