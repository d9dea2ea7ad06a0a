/* The code in the editor: its language, its draft in this browser, the starter it began with, and its marked lines. */
import { readDraft, writeDraft, writeLanguage } from '../lib/drafts'
import type { CodeProblem } from '../lib/problems'
import type { Starter } from '../lib/types'
import type { Editor } from './editor'

const SAVE_MS = 400

export class Workspace {
  editor: Editor | null = $state.raw(null)
  language = $state('')
  /** The code differs from the starter. */
  changed = $state(false)
  marked: CodeProblem[] = $state.raw([])
  #starters: Starter[] = []
  #saving = 0

  constructor(readonly game: string) {}

  /** Loads the editor into an element. */
  async open(parent: HTMLElement, starters: Starter[], onRun: () => void): Promise<void> {
    const { Editor } = await import('./editor')
    this.#starters = starters
    this.editor = new Editor({ parent, label: 'Your bot’s code', onRun, onChange: () => this.#saveSoon() })
  }

  close(): void {
    this.saveNow()
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
    this.language = language
    writeLanguage(this.game, language)
    const draft = readDraft(this.game, language)
    this.changed = draft !== null && draft !== this.starter(language)
    this.editor!.setText(draft ?? this.starter(language))
    this.marked = []
    await this.editor!.setLanguage(language)
  }

  /** Replaces the code. */
  replace(text: string): void {
    this.editor!.setText(text)
    this.#saveSoon()
  }

  /** Discards the draft and shows the starter. */
  reset(): void {
    clearTimeout(this.#saving)
    this.#saving = 0
    writeDraft(this.game, this.language, null)
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
    writeDraft(this.game, this.language, this.text)
  }

  #saveSoon(): void {
    this.changed = true
    clearTimeout(this.#saving)
    this.#saving = window.setTimeout(() => this.saveNow(), SAVE_MS)
  }
}
