/*
 * The viewer interface of a game. Games import this file only; the types of replay lines come from lines.ts.
 *
 * A game is drawn by `games/<id>/viewer.ts`, which default-exports a `GameViewer` and may import files beside it. The
 * frontend's build finds it by its path. It uses no DOM, no clock and no network: it turns frames into states, and
 * states into a picture on a 2D canvas. The shell does the rest: loading, live matches, time, zoom, keys, tooltips,
 * the seek bar, themes.
 *
 *     replay:  header ── frame 1 ── frame 2 ── … ── frame n ── end
 *     state:   start(header) ─ step ─> state 1 ─ step ─> state 2 …
 *     picture: draw(canvas, { a: state t, b: state t+1, k: how far between them, 0 ≤ k < 1 })
 *
 * World units are the game's own: `bounds` says how large the board is, and the shell scales and moves the canvas, so
 * `draw` uses world coordinates only. `hud` draws over the board in CSS pixels.
 */

import type { Theme } from './drawing'
import type { End, Frame, Header } from './lines'

export { alpha, captionRoom, drawCaption, drawLabel, ease, labelWidth, mix, playerShape, rgb, type Theme } from './drawing'
export type { End, Frame, Header, Hidden, Player } from './lines'
export { teamName, teamOf, teamsOf } from './teams'

// --- What a game exports ------------------------------------------------------------------------------------------

/** `Init`: the header's `init`. `F`: a frame. `State`: all that `draw` needs of one turn. */
export interface GameViewer<Init = unknown, F extends Frame = Frame, State extends object = object> {
  /** Turns per second at speed 1. */
  rate: number
  /** Keep one state in `every` for seeking; leave out (1) when states are small. */
  every?: number
  /** How many world units the closest view shows along the stage's shorter side; leave out for six times the whole board. */
  closest?: number
  /** Parts of the picture that users can switch on and off. */
  layers?: Record<string, { label: string; on: boolean }>

  /** The state before the first turn. */
  start(header: Header<Init>): State
  /** The state after a frame; must not change the state before. Every rules version ever written stays readable. */
  step(before: State, frame: F, header: Header<Init>): State
  /**
   * The state that a frame holds in full, for games whose steps are slow; null when it holds none. `played`: the
   * state reached by stepping; return it if it is correct, because it may hold more history.
   */
  key?(frame: F, header: Header<Init>, played?: State): State | null
  /** The world's rectangle. */
  bounds(header: Header<Init>): Box
  /** Paints the board; the canvas is clear and in world units. */
  draw(canvas: CanvasRenderingContext2D, view: View<Init, F, State>): void
  /** Paints over the board, in CSS pixels. */
  hud?(canvas: CanvasRenderingContext2D, view: View<Init, F, State>): void
  /** How high what `hud` paints at the foot of such a stage is: the whole board is shown above it. */
  foot?(stage: { width: number; height: number }, header: Header<Init>): number

  /** The tooltip at a world point. */
  hit?(x: number, y: number, view: View<Init, F, State>): Tip | null
  /** What a seat is called beside its bot's name, where several seats of a team may be one bot's: "bot 3". */
  seat?(seat: number): string

  /**
   * The part of the board to open on, and to follow until the user moves the view; null for the whole board. `near`:
   * the world point in the middle of the view, so that a board that wraps can return the copy next to it, and the view
   * can stay where it is as long as that is worth watching. It is asked once a turn.
   */
  focus?(state: State, header: Header<Init>, near: [x: number, y: number] | null): Box | null

  /** Points of interest: boxes to zoom to, the best first, for boards that are too large to see at once. */
  spots?(state: State, header: Header<Init>): Box[]

  // A seat without a team is a team of its own.
  /** The seek bar's curve: for each team a value before the first turn and after each frame. */
  curve?(frames: F[], header: Header<Init>): number[][]
  /** Marks on the seek bar for this turn. The shell marks faults itself. */
  marks?(frame: F, header: Header<Init>): Mark[]
  /** The score, a short text per team. At the end, numbers give way to the scores of the result. */
  score?(state: State, header: Header<Init>): string[]
  /** A second, smaller figure per team. */
  note?(state: State, header: Header<Init>): string[]
  /** One sentence that describes the state, for screen readers. */
  describe?(state: State, header: Header<Init>): string

  /** How a person plays a seat; the manifest's `in_person` says so, too. */
  ask?: Ask<Init, F, State>
}

// --- Playing in person --------------------------------------------------------------------------------------------

/**
 * What pointer and keys mean for a person who has a seat, as commands of the game's own protocol. All of it is pure: an
 * input becomes another one, and the shell keeps the earlier ones for Undo. The shell also has a text field for the
 * whole reply, sends it, and shows why the referee refused it.
 */
export interface Ask<Init = unknown, F extends Frame = Frame, State extends object = object> {
  /** What to do now, in one sentence. */
  prompt(input: Input, asked: Asked<Init, State>): string
  /** A reply as a bot would write it, to show in the empty text field. */
  example(asked: Asked<Init, State>): string
  /** The reply of a turn without commands; left out where a turn is one command, which is sent at once. */
  pass?: string
  /** Kinds of commands to choose from, the first one by default. */
  tools?(asked: Asked<Init, State>): Tool[]
  /** The input after a click at a world point; the same object where nothing can be done there. */
  point(input: Input, at: [x: number, y: number], asked: Asked<Init, State>): Input
  /** The world points where something can be done, for arrow keys and Enter. */
  places(input: Input, asked: Asked<Init, State>): [x: number, y: number][]
  /** The input after a key that the game takes for itself, e.g. an arrow that steers; null for all others. */
  key?(input: Input, key: string, asked: Asked<Init, State>): Input | null
  /** Paints over the board, in world units: what can be done, what a click at `view.hover` would do, what is entered. */
  draw(canvas: CanvasRenderingContext2D, input: Input, asked: Asked<Init, State>, view: View<Init, F, State>): void
}

/** The turn that a person is asked for: the state before it, and the person's seat. */
export interface Asked<Init = unknown, State = object> {
  state: State
  seat: number
  header: Header<Init>
}

/** What a person has entered in this turn. `picked`: what the next click belongs to, as the game numbers it. */
export interface Input {
  tool: string
  picked: readonly number[]
  commands: readonly string[]
}

export interface Tool {
  id: string
  label: string
}

/** One moment to draw: between state `a` and state `b`. */
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
  /** CSS pixels per world unit. */
  zoom: number
  /** The part of the world that can be seen, and the stage's size in CSS pixels. */
  box: Box
  width: number
  height: number
  /** The world point under the pointer. */
  hover: [x: number, y: number] | null
  layers: Record<string, boolean>
  /** The user asked for less motion: draw states, no transitions. */
  calm: boolean
}

export interface Box {
  x: number
  y: number
  w: number
  h: number
}

/** `player`: a seat; the row starts with its team's colour and shape. */
export interface Tip {
  title: string
  rows: { label: string; value: string; player?: number }[]
  /** The world point that the tooltip is anchored to; by default the pointer. */
  at?: [x: number, y: number]
}

/** `player`: a seat. */
export interface Mark {
  label: string
  player?: number
  bad?: boolean
}
