/*
 * The lines of a replay, as the arena writes them (games/lines.py): a header, a frame for each turn, an end. Nothing is
 * imported here, so that every module may import it.
 */

export interface Player {
  bot: string
  owner: string
  language: string
  version: number | null
  rating: number | null
}

/**
 * The first line. `turns`: the most there can be; `ms`, `first_ms`: CPU time for a turn and for the first one;
 * `seed`: null while a match is played of a game that hides something; `team_seats`: seats that make a team, in games that have teams (`teamOf`).
 */
export interface Header<Init = unknown> {
  v: 1
  game: string
  rules: string
  match: string | null
  seed: string | null
  league: number
  turns: number
  ms: number
  first_ms: number
  team_seats?: number
  players: Player[]
  init: Init
}

/** One line per turn: what changed. Games add their own keys. */
export interface Frame {
  t: number
  notes?: [seat: number, kind: 'fault' | 'warning' | 'info', message: string][]
  faults?: [seat: number, kind: string, message: string][]
  /** Seat -> CPU milliseconds, null for one that was not asked. */
  cpu?: (number | null)[]
  /** Who left the match in this turn, with settled places from 0. */
  left?: [seat: number, place: number][]
  hidden?: Hidden
}

/**
 * What a game's `hidden_frame` gave, under the seat that sees it, or "nobody"; the header's is in `init.hidden`. While
 * a match is played, only a seat's own part is there, or none; afterwards everything.
 */
export type Hidden<Value = unknown> = Partial<Record<string | number, Value>>

/** The last line. `ranks`: seat -> place, 0 best, equal is a tie; `void`: why a match does not count. */
export type End =
  | { end: true; scores: number[]; ranks: number[]; reason: string; void?: undefined }
  | { end: true; void: string }
