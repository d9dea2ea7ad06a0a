/* The arena's copy of the draft in the editor, for accounts: another computer continues where this one stopped. The draft
   in this browser is saved first and always; the copy follows. Code that differs is never overwritten unseen. */
import { api, ApiError, errorMessage } from '../lib/client'
import { connection } from '../lib/connection.svelte'
import { fingerprint, readBase, readDraft, takeOver, writeBase } from '../lib/drafts'
import type { KeptDraft } from '../lib/types'

const PUSH_MS = 2000

/** Whose draft it is. */
interface Host {
  readonly game: string
  readonly language: string
  /** Writes what was typed just now into the draft in this browser. */
  saveNow(): void
  /** Nothing was changed here since the arena had it: its code takes the place. Null is the starter. */
  adopt(source: string | null): void
  /** Another computer has other code, and so has this one. */
  meet(source: string): void
  /** Another account had the draft: show this one's, and what is kept beside it. */
  takeOver(): void
}

export class Keeper {
  /** `browser`: there is no account. `apart`: two computers have different code, until the user chooses. */
  state: 'browser' | 'saving' | 'kept' | 'apart' | 'failed' = $state('browser')
  why = $state('')
  #account: number | null = null
  /** The revision of the code that differs from this browser's. */
  #theirs = 0
  #timer = 0
  #work: Promise<void> = Promise.resolve()
  readonly #stop: (() => void)[]

  constructor(readonly host: Host) {
    const onVisible = (): void => (document.hidden ? this.pushNow() : this.look())
    document.addEventListener('visibilitychange', onVisible)
    this.#stop = [connection.whenBack(() => this.look()), () => document.removeEventListener('visibilitychange', onVisible)]
  }

  close(): void {
    this.pushNow()
    for (const stop of this.#stop) stop()
  }

  /** Who is signed in; null: nobody with an account. */
  keepFor(account: number | null): void {
    if (account === this.#account) return
    this.#account = account
    this.look()
  }

  /** Compares with the copy: when the editor opens, comes to the front, or the arena is back. */
  look(): void {
    if (this.#account === null) this.#become('browser')
    else if (this.host.language) {
      this.takeOver(this.host.language)
      this.#inTurn(() => this.#compare())
    }
  }

  /** Call it before other code is opened as the draft, too: what another account left must not be kept beside that. */
  takeOver(language: string): void {
    if (this.#account === null) return
    const shown = language === this.host.language
    if (shown) this.host.saveNow()
    if (takeOver(this.host.game, language, this.#account) && shown) this.host.takeOver()
  }

  /** The draft in this browser is being changed. */
  pushSoon(): void {
    if (this.#account === null || this.state === 'apart') return
    this.#become('saving')
    clearTimeout(this.#timer)
    this.#timer = window.setTimeout(() => this.pushNow(), PUSH_MS)
  }

  /** Sends what was changed, if anything was. */
  pushNow(): void {
    if (!this.#timer) return
    clearTimeout(this.#timer)
    this.#timer = 0
    const { language } = this.host
    this.#inTurn(() => this.#push(language))
  }

  /** The code in this browser shall be the draft. */
  choose(): void {
    if (this.state !== 'apart') return
    this.#remember(this.host.language, this.#theirs, 'other')
    this.#become('saving')
    const { language } = this.host
    this.#inTurn(() => this.#push(language))
  }

  #become(state: Keeper['state'], why = ''): void {
    this.state = state
    this.why = why
  }

  /** One request at a time: each of them depends on what the last one found. */
  #inTurn(work: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      try {
        await work()
      } catch (error) {
        this.#become('failed', error instanceof ApiError && error.status === 0 ? 'the arena cannot be reached.' : errorMessage(error))
      }
    })
  }

  async #compare(): Promise<void> {
    const { game, language } = this.host
    const account = this.#account
    const kept = await api.draft(game, language)
    // Whoever signed in meanwhile is asked for next.
    if (language === this.host.language && account === this.#account) await this.#meet(kept)
  }

  /** The language may have been left in the meantime. */
  async #push(language: string): Promise<void> {
    const account = this.#account
    if (account === null) return
    const { game } = this.host
    if (language === this.host.language) this.host.saveNow()
    const mine = readDraft(game, language)
    const kept = await api.keepDraft(game, language, { source: mine, based_on: this.#base(language).revision })
    if (kept.stored) writeBase(game, language, { account, revision: kept.revision, print: fingerprint(mine) })
    if (account !== this.#account) return this.takeOver(language)
    if (language !== this.host.language) return
    if (!kept.stored) await this.#meet(kept)
    else if (!this.#timer) this.#become('kept')
  }

  /** What the arena keeps, beside what is here. */
  async #meet(kept: KeptDraft): Promise<void> {
    const { game, language } = this.host
    this.host.saveNow()
    const [mine, base] = [readDraft(game, language), this.#base(language)]
    if (kept.source === mine) this.#agree(kept)
    else if (kept.revision === base.revision) await this.#push(language)
    else if (fingerprint(mine) === base.print) this.#adopt(kept)
    else {
      this.#theirs = kept.revision
      this.#become('apart')
      // What was discarded elsewhere cannot be lost: this code stays.
      if (kept.source === null) this.choose()
      else this.host.meet(kept.source)
    }
  }

  #adopt(kept: KeptDraft): void {
    this.host.adopt(kept.source)
    this.#agree(kept)
  }

  #agree(kept: KeptDraft): void {
    this.#remember(this.host.language, kept.revision, fingerprint(kept.source))
    this.#become('kept')
  }

  /** What this browser knows of the copy. Another account's is of no use: what was changed since is new to this one. */
  #base(language: string): { revision: number; print: string } {
    const base = readBase(this.host.game, language)
    return base?.account === this.#account ? base : { revision: 0, print: '' }
  }

  #remember(language: string, revision: number, print: string): void {
    if (this.#account !== null) writeBase(this.host.game, language, { account: this.#account, revision, print })
  }
}
