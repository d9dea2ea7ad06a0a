/* Events in words. Pure. */
import { inWords, languageName, plural } from './format'
import type { EventDetail, EventEntrant, EventHeatInfo, EventInfo, EventLadder, EventPairing, EventPairingInfo, EventStage } from './types'

const PHASES: Record<EventInfo['phase'], string> = {
  announced: 'announced',
  open: 'open: bots can be entered',
  freezing: 'the deadline is over; uploads are still being checked',
  playing: 'the final is being played',
  done: 'over',
  cancelled: 'cancelled',
}

/** While it is paused nothing is checked for the final, whatever the phase says. */
export function phaseText({ phase, paused_reason }: Pick<EventInfo, 'phase' | 'paused_reason'>): string {
  if (!isPaused({ phase, paused_reason })) return PHASES[phase]
  return `${phase === 'freezing' ? 'the deadline is over' : PHASES[phase]}; paused`
}

/** What is over keeps the reason of its last pause. */
export const isPaused = ({ phase, paused_reason }: Pick<EventInfo, 'phase' | 'paused_reason'>): boolean => paused_reason !== null && phase !== 'done' && phase !== 'cancelled'

/** How far a final is; empty while none is played. Games that break ties are on top of `most_games`. */
export function progressText(event: Pick<EventInfo, 'phase' | 'games' | 'most_games'>): string {
  if (event.phase !== 'playing' || !event.most_games) return ''
  if (event.games > event.most_games) return `${event.games} games, with those that break ties`
  return `${event.games} of at most ${event.most_games} games`
}

/** "2 d 3 h", "3 h 5 min", "4 min 9 s": the two largest units. Nothing once it is over. */
export function countdown(ms: number): string {
  if (ms <= 0) return ''
  const seconds = Math.ceil(ms / 1000)
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  return parts
    .slice(first, first + 2)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}

/** What two who meet play: "4 games (2 maps, one game from each seat)". `games.planned` of the server. */
function gamesText(seeds: number, bothSeats: boolean): string {
  if (bothSeats) return `${plural(2 * seeds, 'game')} (${plural(seeds, 'map')}, one game from each seat)`
  return seeds === 1 ? 'one game' : `${seeds} games, each on another map`
}

/** How a knockout pairing ends: rounding, early ends and ties. */
function knockoutText(stage: EventStage, bothSeats: boolean): string {
  const most = bestOf(stage, bothSeats)
  const rounded = most === stage.best_of ? '' : `, as “best of ${stage.best_of}” is rounded up to whole maps`
  const maps = bothSeats ? ` (${plural(most / 2, 'map')}, one game from each seat${rounded})` : ''
  const sure = stage.stop_when_sure ? ', or once a statistical test is about 95 % sure who is the stronger' : ''
  const more = most === 1 ? 'one more game' : `up to ${most} more games`
  return `Two who meet play at most ${plural(most, 'game')}${maps}. They stop as soon as one cannot be caught any more${sure}. A tie is followed by ${more}${bothSeats ? ', two at a time,' : ''} until one leads; if nobody does, the better seed advances.`
}

/** How many games a knockout pairing has at most, before a tie is broken: `games.planned` of the server. */
export const bestOf = (stage: EventStage, bothSeats: boolean): number => (stage.best_of ?? 0) + (bothSeats ? (stage.best_of ?? 0) % 2 : 0)

/** A stage as a sentence. `last`: nobody advances from it. `bothSeats`: the game's maps are played in both seats. */
export function stageText(stage: EventStage, last: boolean, bothSeats: boolean): string {
  const each = gamesText(stage.seeds ?? 0, bothSeats)
  const on = last ? '' : stage.form === 'groups' ? ` The first ${stage.advance} of each group advance.` : ` The first ${stage.advance} advance.`
  if (stage.form === 'round robin') return `Round robin: everybody against everybody. Each two play ${each}.${on}`
  if (stage.form === 'groups') return `${stage.groups} groups: in each, everybody against everybody. Each two play ${each}.${on}`
  if (stage.form === 'swiss') return `Swiss: ${plural(stage.rounds ?? 0, 'round')} against opponents with as many points. In a round two play ${each}.${on}`
  if (stage.form === 'ladder') {
    const until = last ? 'every place with a prize is' : 'it is'
    return `The ladder at the deadline, played on until ${until} 95 % sure: at most ${plural(stage.rounds ?? 0, 'round')}, in each of which two play ${each}.${on}`
  }
  if (stage.form === 'heats') {
    const rounds = stage.rounds === 1 ? 'one round' : plural(stage.rounds ?? 0, 'round')
    const later = stage.rounds === 1 ? '' : ', later ones against others with as many points'
    const teams = stage.mixed ? ' Each game deals its bots to teams anew, and a bot has the place of its team.' : ''
    return `Heats: ${rounds} of ${plural(stage.games ?? 0, 'game')} each, as many in a match as the game has places for${later}.${teams} A game counts the share of the others that a bot beats.${on}`
  }
  const third = stage.third_place ? ', with a match for the third place' : ''
  return `${stage.lives === 2 ? 'Double elimination' : 'Knockout'}: best of ${bestOf(stage, bothSeats)}${third}. ${knockoutText(stage, bothSeats)}${on}`
}

/** What an event allows its entrants while it is open; empty if no less than the arena does. */
export function quotaText(event: Pick<EventDetail, 'languages' | 'versions_a_day' | 'source_bytes'>): string {
  const versions = event.versions_a_day === null ? '' : `at most ${plural(event.versions_a_day, 'version')} in 24 hours`
  const size = event.source_bytes === null ? '' : `a source of at most ${event.source_bytes.toLocaleString('en')} bytes`
  const both = [versions, size].filter(Boolean).join(', and ')
  return [languagesText(event), both && `While the event is open, a bot that takes part may send ${both}.`].filter(Boolean).join(' ')
}

const languagesText = ({ languages }: Pick<EventDetail, 'languages'>): string => (languages === null ? '' : `Only bots in ${inWords(languages.map(languageName))} may play.`)

/** Which of the viewer's bots would be left out by the deadline, and why; empty where none would. */
export function leftOutText(event: Pick<EventDetail, 'languages' | 'source_bytes' | 'entries'>): string {
  const bots = event.entries.filter((entry) => entry.mine && entry.state === 'entered' && entry.version === null).map((entry) => entry.bot)
  if (!bots.length) return ''
  const size = event.source_bytes === null ? '' : `A source may have at most ${event.source_bytes.toLocaleString('en')} bytes.`
  const first = `${inWords(bots)} ${bots.length === 1 ? 'has' : 'have'} no version yet that may play here, and without one at the deadline ${bots.length === 1 ? 'is' : 'are'} out.`
  return [first, languagesText(event), size].filter(Boolean).join(' ')
}

export const nameOf = (entries: EventEntrant[], id: number | null): string => entries.find((one) => one.id === id)?.bot ?? '–'

export const isOut = (entries: EventEntrant[], id: number): boolean => entries.some((one) => one.id === id && one.state === 'out')

const MOST_SHARED = 3

/** With whom an entrant shares its results, as they have the same code: "results shared with Snare and 2 others". */
export function sharedText(entries: EventEntrant[], shared: number[]): string {
  const names = shared.slice(0, shared.length > MOST_SHARED ? 1 : MOST_SHARED).map((id) => nameOf(entries, id))
  const others = shared.length - names.length
  return `results shared with ${[names.join(', '), ...(others ? [`${others} others`] : [])].join(' and ')}`
}

/** The least and the greatest Elo that a board's intervals reach, with some room. Null before anybody has a rating. */
export function ladderScale(rows: EventLadder['items']): { from: number; to: number } | null {
  const ends = rows.flatMap((row) => (row.low === null || row.high === null ? [] : [row.low, row.high]))
  return ends.length ? { from: Math.min(...ends) - 20, to: Math.max(...ends) + 20 } : null
}

/** What the board waits for: "3 matches wait, 1 is being played." */
export function ladderWait(ladder: EventLadder): string {
  if (ladder.over) return 'It ended with the deadline.'
  const queued = ladder.waiting ? `${plural(ladder.waiting, 'match', 'matches')} ${ladder.waiting === 1 ? 'waits' : 'wait'}` : ''
  const running = ladder.running ? `${ladder.running} ${ladder.running === 1 ? 'is' : 'are'} being played` : ''
  const both = [queued, running].filter(Boolean).join(', ')
  return both ? `${both}.` : 'Nothing waits to be played now.'
}

/** Why somebody won a pairing of a knockout with as many points as the other; empty where the points say it. */
export function tieText(entries: EventEntrant[], pairing: Pick<EventPairingInfo, 'first' | 'second' | 'winner' | 'first_points' | 'second_points'>): string {
  const loser = pairing.winner === pairing.first ? pairing.second : pairing.first
  const isOut = entries.some((one) => one.id === loser && one.state === 'out')
  if (pairing.winner === null || pairing.first_points !== pairing.second_points || isOut) return ''
  return `${nameOf(entries, pairing.winner)} is ahead by the seeding.`
}

export const points = (value: number | null): string => (value === null ? '–' : String(value))

/** Whether what changed of an event hides results from a reader who could see them: perhaps only from others. */
export const lacksResults = (shown: Pick<EventInfo, 'hidden'>, changed: Pick<EventInfo, 'hidden'>): boolean => changed.hidden && !shown.hidden

/** The state of a pairing that is not over, under the number that messages name it by: "Pairing 3: stuck". */
export const pairingState = ({ number, state }: Pick<EventPairingInfo, 'number' | 'state'>): string => (state === 'done' ? '' : `Pairing ${number + 1}: ${state}`)

/** An entrant of a pairing, or who is not known yet. */
export interface Side {
  name: string | null
  points: number | null
  won: boolean
}

/** A pairing of a bracket, for those who do not see it: "Ada 2 : 1 Bob, Ada won". */
export function pairingText([first, second]: [Side, Side], pairing: Pick<EventPairingInfo, 'number' | 'state'> | undefined): string {
  const name = (side: Side): string => side.name ?? 'nobody yet'
  if (!pairing) return `${name(first)} against ${name(second)}`
  const winner = [first, second].find((side) => side.won)
  const score = `${name(first)} ${points(first.points)} : ${points(second.points)} ${name(second)}`
  return [score, winner && `${name(winner)} won`, pairingState(pairing)].filter(Boolean).join(', ')
}

/** Each match of these games that was played again: which game it is, the match in its place, and why. */
export function rerunsOf(games: Pick<EventPairing['games'][number], 'number' | 'match_id' | 'reruns'>[]): { game: number; first: number; again: number; reason: string }[] {
  return games.flatMap((game) =>
    game.reruns.map((one, index) => ({ game: game.number, first: one.match, again: game.reruns[index + 1]?.match ?? game.match_id, reason: one.reason })),
  )
}

/** With two decimals at most: heats have thirds. */
export const shortNumber = (value: number): string => String(Math.round(100 * value) / 100)

/** "Round 2", or "Play-off 1". */
export const heatRound = (heat: EventHeatInfo): string => (heat.playoff ? `Play-off ${heat.playoff}` : `Round ${heat.round}`)

/** Heats by rounds, in their order. Those of a play-off are a round of their own. */
export function heatRounds(heats: EventHeatInfo[]): { title: string; heats: EventHeatInfo[] }[] {
  const found = new Map<string, EventHeatInfo[]>()
  for (const heat of heats) {
    const title = heatRound(heat)
    found.set(title, [...(found.get(title) ?? []), heat])
  }
  return [...found].map(([title, round]) => ({ title, heats: round }))
}

const Z = 1.96

/**
 * The share of the points that so many games allow to expect, from 0 to 1 with 95 % (Wilson 1927). Draws count as half
 * a win, which makes it a little too wide. Null without games.
 */
export function shareInterval(points: number, games: number): { share: number; low: number; high: number } | null {
  if (games === 0) return null
  const share = points / games
  const middle = (share + (Z * Z) / (2 * games)) / (1 + (Z * Z) / games)
  const far = (Z / (1 + (Z * Z) / games)) * Math.sqrt((share * (1 - share)) / games + (Z * Z) / (4 * games * games))
  return { share, low: Math.max(0, middle - far), high: Math.min(1, middle + far) }
}

/** Points of the first and the second, from the first's side: entrant -> opponent -> points, games. */
export type CrossTable = Map<number, Map<number, { points: number; games: number }>>

/** Who took how many points from whom. Play-offs, which only break ties, are left out. */
export function crossTable(pairings: EventPairingInfo[]): CrossTable {
  const found: CrossTable = new Map()
  const add = (own: number, other: number, points: number, games: number): void => {
    const row = found.get(own) ?? new Map<number, { points: number; games: number }>()
    const before = row.get(other) ?? { points: 0, games: 0 }
    row.set(other, { points: before.points + points, games: before.games + games })
    found.set(own, row)
  }
  for (const one of pairings) {
    if (one.playoff || one.first_points === null || one.second_points === null) continue
    const games = one.first_points + one.second_points
    add(one.first, one.second, one.first_points, games)
    add(one.second, one.first, one.second_points, games)
  }
  return found
}

/** A round's title. `part`: of the bracket, or the group. */
export function roundName(pairing: EventPairingInfo, grouped: boolean): string {
  const group = grouped && pairing.part ? `Group ${pairing.part}, ` : ''
  if (pairing.playoff) return `${group}${group ? 'play-off' : 'Play-off'} ${pairing.playoff}`
  return `${group}${group ? 'round' : 'Round'} ${pairing.round}`
}

/** Pairings by rounds, in their order. */
export function roundsOf(pairings: EventPairingInfo[], grouped: boolean): { title: string; pairings: EventPairingInfo[] }[] {
  const found = new Map<string, EventPairingInfo[]>()
  for (const pairing of pairings) {
    const title = roundName(pairing, grouped)
    found.set(title, [...(found.get(title) ?? []), pairing])
  }
  return [...found].map(([title, round]) => ({ title, pairings: round }))
}
