/* Short names for what goes over HTTP. api.d.ts is made from the backend's own description (`build.py --types`). */
import type { components } from './api.d.ts'

type Schemas = components['schemas']

export type Batch = Schemas['Batch']
export type BatchList = Schemas['BatchList']
export type BatchMatch = Schemas['BatchMatch']
export type BatchScore = Schemas['BatchScore']
export type Bot = Schemas['Bot']
export type BotList = Schemas['BotList']
export type CreatedInvite = Schemas['CreatedInvite']
export type CreatedToken = Schemas['CreatedToken']
export type Duel = Schemas['DuelStatus']
export type DuelList = Schemas['DuelList']
export type DuelSide = Schemas['DuelSide']
export type Fork = Schemas['Fork']
export type EndingList = Schemas['EndingList']
export type Game = Schemas['Game']
export type GameDetail = Schemas['GameDetail']
export type History = Schemas['History']
export type HistoryPoint = Schemas['HistoryPoint']
export type InPerson = Schemas['InPerson']
export type Invite = Schemas['Invite']
export type InviteList = Schemas['InviteList']
export type Language = Schemas['Language']
export type Leaderboard = Schemas['Leaderboard']
export type LeagueInfo = Schemas['LeagueInfo']
export type Lesson = Schemas['Lesson']
export type LessonAttempt = Schemas['LessonAttempt']
export type LessonList = Schemas['LessonList']
export type Match = Schemas['Match']
export type MatchPage = Schemas['MatchPage']
export type MatchSeat = Schemas['MatchSeat']
export type Matchup = Schemas['Matchup']
export type MatchupBot = Schemas['MatchupBot']
export type Matchups = Schemas['Matchups']
export type Me = Schemas['Me']
export type NewAttempt = Schemas['NewAttempt']
export type NewBatch = Schemas['NewBatch']
export type NewDuel = Schemas['NewDuel']
export type NewInPerson = Schemas['NewInPerson']
export type NewInvite = Schemas['NewInvite']
export type NewMatch = Schemas['NewMatch']
export type NewSubmission = Schemas['NewSubmission']
export type NewToken = Schemas['NewToken']
export type Notice = Schemas['NoticeView']
export type KeptDraft = Schemas['KeptDraft']
export type NewDraft = Schemas['NewDraft']
export type NoticeList = Schemas['NoticeList']
export type OpenInPerson = Schemas['OpenInPerson']
export type OpponentResult = Schemas['OpponentResult']
export type OpponentResults = Schemas['OpponentResults']
export type PastLeaderboard = Schemas['PastLeaderboard']
export type PastStanding = Schemas['PastStanding']
export type Person = Schemas['Person']
export type Problem = Schemas['Problem']
export type Provider = Schemas['Provider']
export type RatingExplained = Schemas['RatingExplained']
export type SessionList = Schemas['SessionList']
export type SignIn = Schemas['SignIn']
export type SignInOptions = Schemas['SignInOptions']
export type SignUp = Schemas['SignUp']
export type SignedInSession = Schemas['SignedInSession']
export type SourceFile = Schemas['SourceFile']
export type SourceFiles = Schemas['SourceFiles']
export type Standing = Schemas['LeaderboardRow']
export type Starter = Schemas['Starter']
export type Submission = Schemas['Submission']
export type Token = Schemas['Token']
export type TokenList = Schemas['TokenList']
export type UserInfo = Schemas['UserInfo']
export type UserPage = Schemas['UserPage']
export type ArenaStatus = Schemas['ArenaStatus']
export type QueueStatus = Schemas['QueueStatus']
export type MinuteOfMatches = Schemas['MinuteOfMatches']
export type Moment = Schemas['Moment']

/** A zip for the ladder. `language`: empty to detect it from the files. */
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
