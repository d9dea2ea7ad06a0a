/* The editor's panes: how wide they are, which are open, and what the side pane shows. */
import { keep, readKept } from './storage'

export type SideTab = 'rules' | 'lesson' | 'batch' | 'battles'
export const FIRST = { code: 0.37, side: 0.25, panel: 0.4 }

const KEY = 'hexarena-panes'
/** Below this width and above that of phones a match and the side pane leave the code little room. */
const CROWDED = '(min-width: 861px) and (max-width: 1439px)'

export class Panes {
  /** Shares of the window. */
  code = $state(FIRST.code)
  side = $state(FIRST.side)
  sideOpen = $state(true)
  tab: SideTab = $state('rules')
  /** The user opened the side pane beside a match, so it stays. */
  #wanted = false

  constructor() {
    try {
      const kept = JSON.parse(readKept(KEY) ?? '{}') as Partial<typeof FIRST>
      if (Number.isFinite(kept.code)) this.code = kept.code!
      if (Number.isFinite(kept.side)) this.side = kept.side!
    } catch {
      // With nonsense in it, the first sizes are fine.
    }
  }

  keep(): void {
    keep(KEY, JSON.stringify({ code: this.code, side: this.side }))
  }

  show(tab: SideTab): void {
    this.tab = tab
    this.sideOpen = true
  }

  /** What the buttons Rules and Learn do. Returns whether the pane is open now. */
  toggle(tab: SideTab): boolean {
    this.sideOpen = !(this.sideOpen && this.tab === tab)
    this.#wanted = this.sideOpen
    this.tab = tab
    return this.sideOpen
  }

  /** A match is about to be shown. */
  makeRoom(): void {
    if (!this.#wanted && matchMedia(CROWDED).matches) this.sideOpen = false
  }
}
