/* The design's light theme, read from the style sheet where there is no browser to ask. */
import type { Theme } from '../viewer/game'

const TEAMS = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7']

/** Throws an Error where the style sheet lacks a token. */
export function themeOf(css: string): Theme {
  const value = (token: string): string => {
    const found = new RegExp(`--${token}:\\s*(?:light-dark\\(([^,]+),[^)]*\\)|([^;]+));`).exec(css)
    if (!found) throw new Error(`Expected --${token} in the style sheet.`)
    return (found[1] ?? found[2]!).trim()
  }
  return {
    dark: false,
    paper: value('paper'),
    raise: value('raise'),
    sink: value('sink'),
    line: value('line'),
    ink: value('ink'),
    soft: value('soft'),
    good: value('good'),
    bad: value('bad'),
    gem: value('gem'),
    egg: value('egg'),
    players: [...TEAMS, ...TEAMS].map(value),
    onPlayer: value('on-p'),
    font: value('font'),
    mono: value('mono'),
  }
}
