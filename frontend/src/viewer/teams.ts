/* Seats and teams: the seats of a team are side by side. Without teams each seat is one. Pure. */
import type { End, Header, Player } from './lines'

/** A bot of a team, with all of its seats. */
export interface Member {
  player: Player
  seats: number[]
}

/** The team of a seat, counted from 0. */
export const teamOf = (header: Header, seat: number): number => Math.floor(seat / (header.team_seats ?? 1))

/** The teams of a match, in order, each with its members in the order of their first seats. */
export function teamsOf(header: Header): Member[][] {
  const teams: Member[][] = []
  header.players.forEach((player, seat) => {
    const team = (teams[teamOf(header, seat)] ??= [])
    const known = team.find((member) => sameBot(member.player, player))
    if (known) known.seats.push(seat)
    else team.push({ player, seats: [seat] })
  })
  return teams
}

/** A team in words: "ada, bob ×3". */
export const teamName = (team: Member[]): string =>
  team.map(({ player, seats }) => (seats.length > 1 ? `${player.bot} ×${seats.length}` : player.bot)).join(', ')

/** The names of the teams, for what the rules write; none in a game without teams. */
export const teamNames = (header: Header): string[] => (header.team_seats === undefined ? [] : teamsOf(header).map(teamName))

/** The teams with rank 0. `ranks`: one per seat. */
export function winners(header: Header, ranks: number[]): number[] {
  const teams = ranks.flatMap((rank, seat) => (rank === 0 ? [teamOf(header, seat)] : []))
  return [...new Set(teams)]
}

/** The place of each team, from 1; ties leave out the next ones. `ranks`: one per seat. */
export function placesOf(header: Header, ranks: number[]): number[] {
  const best = teamsOf(header).map((team) => ranks[team[0]!.seats[0]!]!)
  return best.map((rank) => 1 + best.filter((other) => other < rank).length)
}

/**
 * The scores under a match that counts: those of its last line, for each team that of its best seat. The last state does
 * not know what decided, such as the ants of a tie, or a disqualification. A text that is no number stays.
 */
export function finalScores(shown: string[], header: Header, end: End | null | undefined): string[] {
  if (!end || end.void !== undefined) return shown
  const scores = teamsOf(header).map((team) => Math.max(...team.flatMap(({ seats }) => seats.map((seat) => end.scores[seat]!))))
  return shown.map((text, i) => (Number.isFinite(scores[i]) && !Number.isNaN(Number(text)) ? String(scores[i]) : text))
}

function sameBot(a: Player, b: Player): boolean {
  return a.bot === b.bot && a.owner === b.owner && a.version === b.version && a.language === b.language
}
