/* Short names for what goes over HTTP. api.d.ts is made from the backend's own description (`build.py --types`). */
import type { components } from './api.d.ts'

type Schemas = components['schemas']

export type Bot = Schemas['Bot']
export type BotList = Schemas['BotList']
export type Game = Schemas['Game']
export type GameDetail = Schemas['GameDetail']
export type Language = Schemas['Language']
export type Leaderboard = Schemas['Leaderboard']
export type Match = Schemas['Match']
export type MatchPage = Schemas['MatchPage']
export type MatchSeat = Schemas['MatchSeat']
export type Me = Schemas['Me']
export type NewMatch = Schemas['NewMatch']
export type NewSubmission = Schemas['NewSubmission']
export type Problem = Schemas['Problem']
export type RatingExplained = Schemas['RatingExplained']
export type SourceFile = Schemas['SourceFile']
export type SourceFiles = Schemas['SourceFiles']
export type Standing = Schemas['Standing']
export type Starter = Schemas['Starter']
export type Submission = Schemas['Submission']

/** A zip for the ladder. `language`: empty where the files tell it. */
export interface NewUpload {
  game: string
  bot: string
  language: string
  note: string
  file: File
}

/** An event of the arena's stream: rows of a leaderboard that changed. */
export interface StandingChange {
  game: string
  items: Standing[]
}
