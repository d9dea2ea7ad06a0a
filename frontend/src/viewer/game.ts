/*
 * The door between the viewer and a game. A game author needs this file and nothing else.
 *
 * A game is shown by `games/<id>/viewer.ts`, which default-exports a `GameViewer`, and what it imports from beside
 * it. Being there is all it takes: the frontend's build finds it. It has no DOM, no clock, no network: it turns frames
 * into states, and states into a picture on a 2D canvas. The shell does the rest: loading, live matches, time, zoom,
 * keys, tooltips, the seek bar, light and dark.
 *
 *     replay:  header ── frame 1 ── frame 2 ── … ── frame n ── end
 *     state:   start(header) ─ step ─> state 1 ─ step ─> state 2 …
 *     picture: draw(canvas, { a: state t, b: state t+1, k: how far between them, 0 ≤ k < 1 })
 *
 * World units are the game's own: `bounds` says how large the board is, and the shell scales and moves the canvas, so
 * `draw` uses world coordinates only. `hud` draws over the board in CSS pixels.
 */

export { alpha, ease, mix, playerShape } from './drawing'
export { teamName, teamOf, teamsOf } from './teams'

// --- What the arena writes (games/lines.py) ---------------------------------------------------------------------

export interface Player {
  bot: string
  owner: string
  language: string
  version: number | null
  rating: number | null
}

/**
 * The first line. `turns`: the most there can be; `ms`, `first_ms`: CPU time for a turn and for the first one;
 * `team_seats`: seats that make a team, in games that have teams (`teamOf`).
 */
export interface Header<Init = unknown> {
  v: 1
  game: string
  rules: string
  match: string | null
  seed: string
  league: number
  turns: number
  ms: number
  first_ms: number
  team_seats?: number
  players: Player[]
  init: Init
}

/** A line a turn: what the step changed. Games add their own keys. */
export interface Frame {
  t: number
  notes?: [seat: number, kind: 'fault' | 'warning' | 'info', message: string][]
  faults?: [seat: number, kind: string, message: string][]
  /** Seat -> CPU milliseconds, null for one that was not asked. */
  cpu?: (number | null)[]
}

/** The last line. `ranks`: seat -> place, 0 best, equal is a tie; `void`: why a match does not count. */
export type End =
  | { end: true; scores: number[]; ranks: number[]; reason: string; void?: undefined }
  | { end: true; void: string }

// --- What a game gives ------------------------------------------------------------------------------------------

/** `Init`: the header's `init`. `F`: a frame. `State`: all that `draw` needs of one turn. */
export interface GameViewer<Init = unknown, F extends Frame = Frame, State extends object = object> {
  /** Turns a second at speed 1. */
  rate: number
  /** Keep one state in `every` for seeking; leave out (1) when states are small. */
  every?: number
  /** How many world units the closest view shows along the stage's shorter side; leave out for six times the whole board. */
  closest?: number
  /** What can be switched on and off in the picture. */
  layers?: Record<string, { label: string; on: boolean }>

  /** The state before the first turn. */
  start(header: Header<Init>): State
  /** The state after a frame; the one before stays as it was. Every rules version ever written stays readable. */
  step(before: State, frame: F, header: Header<Init>): State
  /**
   * The state that a frame holds in full, for games whose steps cost much; null when it holds none. `played`: the
   * state that stepping has led to, to be given back where it is right, for it may remember more.
   */
  key?(frame: F, header: Header<Init>, played?: State): State | null
  /** The world's rectangle. */
  bounds(header: Header<Init>): Box
  /** Paints the board; the canvas is clear and in world units. */
  draw(canvas: CanvasRenderingContext2D, view: View<Init, F, State>): void
  /** Paints over the board, in CSS pixels. */
  hud?(canvas: CanvasRenderingContext2D, view: View<Init, F, State>): void

  /** What stands at a world point, for the tooltip. */
  hit?(x: number, y: number, view: View<Init, F, State>): Tip | null
  /** What a seat is called beside its bot's name, where several seats of a team may be one bot's: "bot 3". */
  seat?(seat: number): string

  /** Boxes of the board that are worth a closer look now, the best first, for boards that are too large to see it all. */
  spots?(state: State, header: Header<Init>): Box[]

  // A seat without a team is a team of its own.
  /** The seek bar's curve: for each team a value before the first turn and after each frame. */
  curve?(frames: F[], header: Header<Init>): number[][]
  /** What is worth a mark on the seek bar in this turn. Faults are marked by the shell. */
  marks?(frame: F, header: Header<Init>): Mark[]
  /** A short text a team: the score. */
  score?(state: State, header: Header<Init>): string[]
  /** A second, smaller figure a team. */
  note?(state: State, header: Header<Init>): string[]
  /** One sentence for those who cannot see the picture. */
  say?(state: State, header: Header<Init>): string
}

/** One moment to be drawn: on the way from state `a` to state `b`. */
export interface View<Init, F extends Frame, State> {
  a: State
  /** The next state; `a` itself when there is none. */
  b: State
  /** How far from a to b, 0 ≤ k < 1. */
  k: number
  /** The turn of `a`; 0 is before the first. */
  turn: number
  /** The frame that made `a`; none at turn 0. */
  frame?: F
  /** The frame that makes `b`; none at the end. */
  next?: F
  /** Set once the last turn is reached. */
  end?: End
  header: Header<Init>
  theme: Theme
  /** CSS pixels in a world unit. */
  zoom: number
  /** The part of the world that can be seen, and the stage's size in CSS pixels. */
  box: Box
  width: number
  height: number
  /** The world point under the pointer. */
  hover: [x: number, y: number] | null
  layers: Record<string, boolean>
  /** The user asked for less motion: show states, not ways. */
  calm: boolean
}

export interface Box {
  x: number
  y: number
  w: number
  h: number
}

/** The design's colours, resolved for a canvas. `players[team]` is a team's colour, `onPlayer` text on top of one. */
export interface Theme {
  dark: boolean
  paper: string
  raise: string
  sink: string
  line: string
  ink: string
  soft: string
  good: string
  bad: string
  gem: string
  egg: string
  players: string[]
  onPlayer: string
  font: string
  mono: string
}

/** `player`: a seat; its team's colour and shape stand before the row. */
export interface Tip {
  title: string
  rows: { label: string; value: string; player?: number }[]
  /** The world point that the tooltip hangs on; the pointer without it. */
  at?: [x: number, y: number]
}

/** `player`: a seat. */
export interface Mark {
  label: string
  player?: number
  bad?: boolean
}
