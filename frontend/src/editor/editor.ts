/* The code editor: CodeMirror with our theme, errors in the gutter, and on demand languages, completion and search. */
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from '@codemirror/commands'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  StreamLanguage,
  syntaxHighlighting,
} from '@codemirror/language'
import { lintGutter, setDiagnostics } from '@codemirror/lint'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { CodeProblem } from '../lib/problems'

const LANGUAGES: Record<string, () => Promise<Extension>> = {
  python: async () => (await import('@codemirror/lang-python')).python(),
  c: async () => (await import('@codemirror/lang-cpp')).cpp(),
  cpp: async () => (await import('@codemirror/lang-cpp')).cpp(),
  javascript: async () => (await import('@codemirror/lang-javascript')).javascript(),
  typescript: async () => (await import('@codemirror/lang-javascript')).javascript({ typescript: true }),
  java: async () => (await import('@codemirror/lang-java')).java(),
  rust: async () => (await import('@codemirror/lang-rust')).rust(),
  go: async () => (await import('@codemirror/lang-go')).go(),
  csharp: async () => StreamLanguage.define((await import('@codemirror/legacy-modes/mode/clike')).csharp),
  ruby: async () => StreamLanguage.define((await import('@codemirror/legacy-modes/mode/ruby')).ruby),
  php: async () => (await import('@codemirror/lang-php')).php(),
  kotlin: async () => StreamLanguage.define((await import('@codemirror/legacy-modes/mode/clike')).kotlin),
  lua: async () => StreamLanguage.define((await import('@codemirror/legacy-modes/mode/lua')).lua),
  perl: async () => StreamLanguage.define((await import('@codemirror/legacy-modes/mode/perl')).perl),
  bash: async () => StreamLanguage.define((await import('@codemirror/legacy-modes/mode/shell')).shell),
  haskell: async () => StreamLanguage.define((await import('@codemirror/legacy-modes/mode/haskell')).haskell),
  ocaml: async () => StreamLanguage.define((await import('@codemirror/legacy-modes/mode/mllike')).oCaml),
  d: async () => StreamLanguage.define((await import('@codemirror/legacy-modes/mode/d')).d),
  pascal: async () => StreamLanguage.define((await import('@codemirror/legacy-modes/mode/pascal')).pascal),
}

/** Syntax is shown by weight and slant; only strings and numbers have a colour. */
const SYNTAX = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.moduleKeyword, tags.operatorKeyword], fontWeight: '700' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--p3)' },
  {
    tag: [tags.definition(tags.variableName), tags.function(tags.definition(tags.variableName))],
    textDecoration: 'underline',
    textDecorationColor: 'var(--line)',
    textUnderlineOffset: '3px',
  },
])

const SELECTION = 'color-mix(in oklab, var(--p0) 26%, transparent)'
const LOOK = EditorView.theme({
  '&': { height: '100%', fontSize: '0.875rem', background: 'var(--raise)', color: 'var(--ink)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '&.cm-focused': { outline: 'none' },
  '.cm-gutters': { background: 'var(--raise)', color: 'var(--soft)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'color-mix(in oklab, var(--line) 28%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: SELECTION,
  },
  '.cm-selectionMatch': { background: 'color-mix(in oklab, var(--p0) 14%, transparent)' },
  '.cm-tooltip, .cm-panels': { background: 'var(--raise)', border: '1px solid var(--line)', color: 'var(--ink)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--ink)', color: 'var(--paper)' },
  '.cm-textfield, .cm-button': { background: 'var(--paper)', color: 'var(--ink)', borderColor: 'var(--line)' },
})

export interface EditorOptions {
  parent: HTMLElement
  label: string
  onRun: () => void
  onChange: (text: string) => void
}

export class Editor {
  readonly #view: EditorView
  readonly #language = new Compartment()
  readonly #help = new Compartment()
  readonly #history = new Compartment()
  #helping: Promise<typeof import('./help')> | undefined
  #wanted = ''
  #silent = false

  constructor({ parent, label, onRun, onChange }: EditorOptions) {
    const run = { key: 'Mod-Enter', run: () => (onRun(), true) }
    // Until the help is there; then its own key comes first.
    const search = { key: 'Mod-f', run: () => (void this.#search(), true) }
    const changed = EditorView.updateListener.of((update) => {
      if (update.docChanged && !this.#silent) onChange(this.text)
    })
    const extensions = [
      keymap.of([run]),
      lineNumbers(),
      this.#history.of(history()),
      drawSelection(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      bracketMatching(),
      indentOnInput(),
      indentUnit.of('    '),
      this.#help.of([]),
      lintGutter(),
      syntaxHighlighting(SYNTAX),
      keymap.of([search, ...defaultKeymap, ...historyKeymap, indentWithTab]),
      LOOK,
      this.#language.of([]),
      changed,
      // The page takes files: the editor would insert their text as well.
      EditorView.domEventHandlers({ drop: (event) => (event.dataTransfer?.files.length ?? 0) > 0 }),
      // Tab indents: whoever has only the keyboard must hear how to leave.
      EditorView.contentAttributes.of({ 'aria-label': label, 'aria-description': 'Escape, then Tab, leaves the editor.', spellcheck: 'false', autocapitalize: 'off' }),
    ]
    this.#view = new EditorView({ parent, state: EditorState.create({ extensions }) })
    // A scrollable element must be reachable by keyboard.
    this.#view.scrollDOM.tabIndex = 0
    this.#view.dom.addEventListener('focusin', () => void this.#addHelp().catch(() => (this.#helping = undefined)))
  }

  get text(): string {
    return this.#view.state.doc.toString()
  }

  /** What helps while typing is loaded once somebody is about to. */
  #addHelp(): Promise<typeof import('./help')> {
    this.#helping ??= import('./help').then((help) => {
      this.#view.dispatch({ effects: this.#help.reconfigure(help.HELP) })
      return help
    })
    return this.#helping
  }

  async #search(): Promise<void> {
    const help = await this.#addHelp().catch(() => null)
    help?.openSearchPanel(this.#view)
  }

  /** Replaces the text without calling `onChange`. It can be undone. */
  setText(text: string): void {
    this.#silent = true
    const changes = { from: 0, to: this.#view.state.doc.length, insert: text }
    this.#view.dispatch({ changes, annotations: isolateHistory.of('full') })
    this.#silent = false
    this.mark([])
  }

  /** Opens another text: what was there before is not come back to by undoing. Does not call `onChange`. */
  open(text: string): void {
    this.setText(text)
    // Without its extension the history is forgotten.
    this.#view.dispatch({ effects: this.#history.reconfigure([]) })
    this.#view.dispatch({ effects: this.#history.reconfigure(history()) })
  }

  async setLanguage(language: string): Promise<void> {
    this.#wanted = language
    const extension = (await LANGUAGES[language]?.()) ?? []
    if (this.#wanted === language) this.#view.dispatch({ effects: this.#language.reconfigure(extension) })
  }

  /** Marks lines in the gutter; an empty list clears them. */
  mark(problems: CodeProblem[]): void {
    const { doc } = this.#view.state
    const diagnostics = problems.map(({ line, message }) => {
      const { from, to } = doc.line(Math.max(1, Math.min(line, doc.lines)))
      return { from, to, severity: 'error' as const, message }
    })
    diagnostics.sort((a, b) => a.from - b.from)
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics))
  }

  goTo(line: number): void {
    const { doc } = this.#view.state
    const { from } = doc.line(Math.max(1, Math.min(line, doc.lines)))
    this.#view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
    this.#view.focus()
  }

  focus(): void {
    this.#view.focus()
  }

  destroy(): void {
    this.#view.destroy()
  }
}
