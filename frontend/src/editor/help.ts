/* What helps in the editor while typing: completion, closing brackets, search. Half as large as the editor without it. */
import { autocompletion, closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete'
import { highlightSelectionMatches, openSearchPanel, searchKeymap } from '@codemirror/search'
import type { Extension } from '@codemirror/state'
import { keymap } from '@codemirror/view'

export { openSearchPanel }

export const HELP: Extension = [
  highlightSelectionMatches(),
  closeBrackets(),
  autocompletion(),
  keymap.of([...closeBracketsKeymap, ...searchKeymap]),
]
