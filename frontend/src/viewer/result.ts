/* A match's result in words, with bots named instead of seats and teams. Pure. */
import { withNames } from '../lib/results'
import type { GameViewer } from './game'
import type { End, Header } from './lines'
import { teamName, teamNames, teamsOf, winners } from './teams'

/** A seat's bot; where seats of a team may be one bot's, with what tells them apart. */
export function seatName(seat: number, header: Header | undefined, game: GameViewer | undefined): string {
  const bot = header?.players[seat]?.bot ?? `seat ${seat}`
  return header?.team_seats && game?.seat ? `${bot}, ${game.seat(seat)}` : bot
}

/** "ada wins: bob timed out". */
export function resultText(end: End, header: Header, game: GameViewer | undefined): string {
  if (end.void !== undefined) return `Void: ${end.void}`
  const teams = teamsOf(header)
  const best = winners(header, end.ranks).map((team) => teams[team]!)
  const several = (best[0]?.length ?? 0) > 1
  const text = best.length === 1 ? `${teamName(best[0]!)} ${several ? 'win' : 'wins'}` : 'Draw'
  const bots = header.players.map((_, seat) => seatName(seat, header, game))
  const reason = withNames(end.reason, bots, teamNames(header))
  if (!reason) return text
  // A reason that begins with the winning team needs no second mention of it.
  const named = header.team_seats !== undefined && best.length === 1 && reason.startsWith(teamName(best[0]!))
  return named ? reason : `${text}: ${reason}`
}
