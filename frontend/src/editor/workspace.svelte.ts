/* The code in the editor: its language, its draft in this browser, the starter it began with, and its marked lines. */
import { draftKey, draftLasts, openDraft, popOther, pushOther, readDraft, readOther, writeDraft, writeLanguage, writeOther } from '../lib/drafts'
import type { CodeProblem } from '../lib/problems'
import type { Starter } from '../lib/types'
import type { Editor } from './editor'
import { Keeper } from './keeper.svelte'

const SAVE_MS = 400

export class Workspace {
  editor: Editor | null = $state.raw(null)
  language = $state('')
  /** The code differs from the starter. */
  changed = $state(false)
  /** False where this browser has no room for the draft: it is gone with the page, unless an account has it. */
  lasts = $state(true)
  marked: CodeProblem[] = $state.raw([])
  /** The code that another tab or computer has as the same draft, or that was here before; null while there is no other. */
  other: string | null = $state(null)
  /** It was another tab that has it. */
  inTab = $state(false)
  /** The arena's copy of the draft. */
  readonly kept = new Keeper(this)
  #starters: Starter[] = []
  /** The text of the last file that was opened. */
  #file: string | null = null
  /** The last code of another computer. */
  #met: string | null = null
  /** The last code of another tab. */
  #theirs: string | null = null
  #saving = 0
  #closed = false

  readonly #onStorage = (event: StorageEvent): void => this.#seen(event)
  /** What was typed just now is saved, too. */
  readonly #onHide = (): void => this.saveNow()

  constructor(readonly game: string) {
    addEventListener('storage', this.#onStorage)
    addEventListener('pagehide', this.#onHide)
  }

  /** Loads the editor into an element. */
  async open(parent: HTMLElement, starters: Starter[], onRun: () => void): Promise<void> {
    const { Editor } = await import('./editor')
    if (this.#closed) return
    this.#starters = starters
    this.editor = new Editor({ parent, label: 'Your bot’s code', onRun, onChange: () => this.#saveSoon() })
  }

  close(): void {
    this.#closed = true
    removeEventListener('storage', this.#onStorage)
    removeEventListener('pagehide', this.#onHide)
    this.saveNow()
    this.kept.close()
    this.editor?.destroy()
  }

  get text(): string {
    return this.editor?.text ?? ''
  }

  /** The starter in a language; empty if there is none. */
  starter(language: string): string {
    return this.#starters.find((one) => one.language === language)?.source ?? ''
  }

  /** Changes to a language, and shows its draft or its starter. */
  async setLanguage(language: string): Promise<void> {
    this.saveNow()
    this.kept.pushNow()
    const opened = language !== this.language
    this.language = language
    writeLanguage(this.game, language)
    const draft = readDraft(this.game, language)
    this.lasts = draftLasts(this.game, language)
    this.changed = draft !== null && draft !== this.starter(language)
    const text = draft ?? this.starter(language)
    if (opened) this.editor!.open(text)
    // The code that was discarded comes back by undoing.
    else this.editor!.setText(text)
    this.marked = []
    this.other = readOther(this.game, language)
    this.inTab = false
    this.kept.look()
    await this.editor!.setLanguage(language)
  }

  /** What the arena has of this account: another computer's newer code, or its own after another account's. */
  adopt(source: string | null): void {
    clearTimeout(this.#saving)
    this.#saving = 0
    this.#write(source)
    this.changed = source !== null && source !== this.starter(this.language)
    this.editor?.open(source ?? this.starter(this.language))
    this.mark([])
  }

  /** Another computer's code, which differs from this one's. What was here before that is kept further back. */
  meet(source: string): void {
    const other = readOther(this.game, this.language)
    if (other !== source && other !== this.#met && other !== this.text) pushOther(this.game, this.language)
    this.#met = source
    this.other = source
    writeOther(this.game, this.language, source)
  }

  /** The account that uses this browser now has another draft, and other code beside it. */
  takeOver(): void {
    this.adopt(readDraft(this.game, this.language))
    this.other = readOther(this.game, this.language)
    this.inTab = false
  }

  /** Opens a file's text as the draft in a language, and keeps what was written there beside it. False, and only the
   *  language is changed, where that is not possible. */
  async openFile(language: string, text: string): Promise<boolean> {
    this.saveNow()
    // As the editor writes it.
    const source = text.replace(/\r\n?/g, '\n')
    // A file that was not changed here is on the user's disk: it need not be kept.
    const draft = readDraft(this.game, language)
    const opened = openDraft(this.game, language, source, draft !== null && draft === this.#file ? draft : this.starter(language))
    if (opened) this.#file = source
    if (opened || language !== this.language) await this.setLanguage(language)
    // Another tab may have put it there, which this one was not told.
    else this.other ??= readOther(this.game, language)
    return opened
  }

  /** Replaces the code. */
  replace(text: string): void {
    this.editor!.setText(text)
    this.#saveSoon()
  }

  /** Another tab saved the same draft. */
  #seen({ key, newValue }: StorageEvent): void {
    if (!this.editor || newValue === null || key !== draftKey(this.game, this.language)) return
    const earlier = this.#theirs
    this.#theirs = newValue
    this.other = newValue === this.text ? null : newValue
    this.inTab = true
    if (this.other === null) return
    // The draft is the other tab's now, so it is this one's code that must be kept beside it.
    const kept = readOther(this.game, this.language)
    if (kept === this.text || (kept === null && this.text === this.starter(this.language))) return
    // What was here before is kept further back, unless it is the other tab's earlier code.
    if (kept !== newValue && kept !== earlier) pushOther(this.game, this.language)
    writeOther(this.game, this.language, this.text)
  }

  /** Shows the other code; what was here is the other one then. */
  swap(): void {
    const [shown, mine] = [this.other, this.text]
    if (shown === null) return
    this.other = mine
    writeOther(this.game, this.language, mine)
    this.replace(shown)
  }

  /** Forgets the other code, and shows what was kept further back, if anything was. */
  keepThis(): void {
    this.saveNow()
    this.other = popOther(this.game, this.language)
    this.inTab = false
    this.#write(this.text)
    if (this.kept.state === 'apart') this.kept.choose()
    else this.kept.pushSoon()
  }

  /** Discards the draft and shows the starter. */
  reset(): void {
    clearTimeout(this.#saving)
    this.#saving = 0
    this.#write(null)
    this.kept.pushSoon()
    void this.setLanguage(this.language)
  }

  /** Marks lines in the gutter; an empty list clears them. */
  mark(lines: CodeProblem[]): void {
    this.marked = lines
    this.editor?.mark(lines)
  }

  saveNow(): void {
    if (!this.#saving || !this.editor) return
    clearTimeout(this.#saving)
    this.#saving = 0
    this.#write(this.text)
  }

  #write(source: string | null): void {
    this.lasts = writeDraft(this.game, this.language, source)
  }

  #saveSoon(): void {
    this.changed = true
    this.kept.pushSoon()
    clearTimeout(this.#saving)
    this.#saving = window.setTimeout(() => this.saveNow(), SAVE_MS)
  }
}
