/*
 * Learn the game: a game's lessons, and the attempt that is playing. Nothing waits for the lessons; where they could not
 * be loaded, there are none.
 */
import { api, errorMessage, wantsSignIn } from './client'
import { currentUser } from './current-user.svelte'
import { arenaEvents } from './live'
import type { Lesson, LessonAttempt, NewAttempt } from './types'

export class Lessons {
  items: Lesson[] = $state.raw([])
  /** Matches of an attempt, and how many of them must be won. */
  matches = $state(5)
  wins = $state(3)
  attempt: LessonAttempt | null = $state.raw(null)
  /** The attempt that was made on this page, with the code that is in its editor. */
  tried: number | null = $state(null)
  sending = $state(false)
  problem = $state('')
  signIn = $state(false)
  readonly passed = $derived(this.items.filter((one) => one.passed).length)
  /** The first lesson that is not passed, else the last. */
  readonly next = $derived(this.items.find((one) => !one.passed) ?? this.items.at(-1))
  readonly playing = $derived(this.sending || (this.attempt !== null && !this.attempt.over))

  constructor(readonly game: string) {}

  /** Follows the user's matches. Returns a function that stops it. */
  follow(): () => void {
    return arenaEvents({
      match: (match) => {
        if (this.attempt?.matches.some((one) => one.match_id === match.id)) void this.#refresh()
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
      this.items = []
    }
  }

  lesson(number: number): Lesson | undefined {
    return this.items.find((one) => one.number === number)
  }

  /** Shows the newest attempt at a lesson, if there is any. */
  async show(number: number): Promise<void> {
    this.problem = ''
    const latest = this.lesson(number)?.latest
    if (this.attempt?.lesson === number) return
    this.attempt = null
    if (!latest) return
    const found = await api.lessonAttempt(this.game, number, latest).catch(() => null)
    if (found && !this.attempt) this.attempt = found
  }

  async try(number: number, code: NewAttempt): Promise<void> {
    this.sending = true
    this.problem = ''
    this.signIn = false
    try {
      this.attempt = await api.tryLesson(this.game, number, code)
      this.tried = this.attempt.id
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
    const shown = this.attempt
    if (!shown || shown.over) return
    const now = await api.lessonAttempt(this.game, shown.lesson, shown.id).catch(() => null)
    if (!now || this.attempt?.id !== now.id) return
    this.attempt = now
    if (now.over || now.passed) await this.load()
  }
}
