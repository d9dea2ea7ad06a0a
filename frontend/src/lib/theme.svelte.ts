/* The colour theme: the system's, or the user's choice kept in localStorage (public/theme.js applies it early). */
import { keep } from './storage'
import { rgb } from '../viewer/drawing'
import type { Theme } from '../viewer/game'

const TEAMS = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7']

/** The design tokens as plain colours, for canvases. A probe element resolves light-dark(). */
function readTheme(): Theme {
  const probe = document.createElement('i')
  probe.hidden = true
  document.body.append(probe)
  const colour = (token: string): string => {
    probe.style.color = `var(--${token})`
    return getComputedStyle(probe).color
  }
  const root = getComputedStyle(document.documentElement)
  const paper = colour('paper')
  const theme: Theme = {
    dark: rgb(paper)[0]! < 128,
    paper,
    raise: colour('raise'),
    sink: colour('sink'),
    line: colour('line'),
    ink: colour('ink'),
    soft: colour('soft'),
    good: colour('good'),
    bad: colour('bad'),
    gem: colour('gem'),
    egg: colour('egg'),
    players: [...TEAMS, ...TEAMS].map(colour),
    onPlayer: colour('on-p'),
    font: root.getPropertyValue('--font'),
    mono: root.getPropertyValue('--mono'),
  }
  probe.remove()
  return theme
}

class ThemeChoice {
  current: Theme = $state.raw(readTheme())

  constructor() {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.refresh())
    // Canvas text asks for the fonts; once they are there, what was drawn is drawn again.
    void document.fonts.ready.then(() => this.refresh())
  }

  refresh(): void {
    this.current = readTheme()
  }

  toggle(): void {
    const choice = this.current.dark ? 'light' : 'dark'
    document.documentElement.dataset.theme = choice
    keep('theme', choice)
    this.refresh()
  }
}

export const theme = new ThemeChoice()

/** Whether the user asked the system for less motion. */
export const lessMotion = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches
