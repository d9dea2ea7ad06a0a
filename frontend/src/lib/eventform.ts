/* The form of an event: what its final can look like, and its times. Pure. */
import { plural } from './format'
import type { EventDetail, EventPreview, EventStage, Game, NewEvent } from './types'

export type Form = EventStage['form']

export const FORMS: { id: Form; label: string }[] = [
  { id: 'round robin', label: 'Round robin' },
  { id: 'groups', label: 'Groups' },
  { id: 'swiss', label: 'Swiss' },
  { id: 'knockout', label: 'Knockout' },
  { id: 'ladder', label: 'The ladder, played on' },
  { id: 'heats', label: 'Heats' },
]

/** How many entrants a match of a game may have. */
type Sizes = Pick<Game, 'ladder_entrants'> & Partial<Pick<Game, 'team_seats'>>

/** How many may play in a heat; 0 where the game has none. */
export function mostInHeat(game: Sizes | undefined): number {
  const most = Math.max(0, ...(game?.ladder_entrants ?? []))
  return most > 2 ? most : 0
}

/** Whether heats of a game may have mixed teams. */
export const hasTeams = (game: Sizes | undefined): boolean => (game?.team_seats ?? 1) > 1

/** Whether a game can be played in this form: heats by more than two, all others by two. */
export const suits = (form: Form, game: Sizes | undefined): boolean => (form === 'heats' ? mostInHeat(game) > 0 : !game || game.ladder_entrants.includes(2))

/** Who sits where in so many games of a heat. `most`: entrants of a heat. */
export function seatsText(games: number, most: number): string {
  const sizes = Array.from({ length: most - 1 }, (_, index) => index + 2)
  const uneven = sizes.filter((size) => games % size !== 0)
  if (uneven.length === 0) return 'Everybody sits in each seat equally often.'
  return `In heats of ${uneven.join(' or ')} some sit in a seat once more than others: ${games} games cannot be divided equally.`
}

/** A stage with the arena's defaults. */
export const stageOf = (form: Form, changes: Partial<EventStage> = {}): Required<EventStage> => ({
  form,
  seeds: form === 'ladder' ? 5 : 2,
  groups: form === 'groups' ? 4 : 1,
  rounds: form === 'swiss' ? 5 : form === 'ladder' ? 10 : form === 'heats' ? 3 : 0,
  games: 12,
  mixed: false,
  best_of: 5,
  lives: 1,
  third_place: false,
  stop_when_sure: false,
  advance: 0,
  ...changes,
})

export interface Preset {
  id: string
  label: string
  about: string
  stages: Required<EventStage>[]
}

export const PRESETS: Preset[] = [
  {
    id: 'groups',
    label: 'Groups, then knockout',
    about: 'Everybody plays several opponents; the best two of each group meet in a bracket.',
    stages: [stageOf('groups', { advance: 2 }), stageOf('knockout', { third_place: true })],
  },
  { id: 'robin', label: 'Round robin', about: 'Everybody against everybody: fairest, and longest.', stages: [stageOf('round robin')] },
  {
    id: 'swiss',
    label: 'Swiss, then knockout',
    about: 'For many entrants: five rounds against opponents with as many points, then the best eight.',
    stages: [stageOf('swiss', { advance: 8 }), stageOf('knockout', { third_place: true })],
  },
  { id: 'knockout', label: 'Knockout', about: 'Short and exciting: who loses is out.', stages: [stageOf('knockout', { third_place: true })] },
  { id: 'double', label: 'Double elimination', about: 'A knockout in which everybody may lose once.', stages: [stageOf('knockout', { lives: 2 })] },
  {
    id: 'ladder',
    label: 'The ladder at the deadline, played on',
    about: 'What the ladder knew at the deadline counts; more games are played until every place with a prize is 95 % sure.',
    stages: [stageOf('ladder')],
  },
  {
    id: 'heats',
    label: 'Heats, then a heat of the best',
    about: 'As many meet in a match as the game has places for. After three rounds against others with as many points, the best four play for the prizes.',
    stages: [stageOf('heats', { advance: 4 }), stageOf('heats', { rounds: 1, games: 24 })],
  },
]

/** Those that a game can be played in, the form of its own ladder first. */
export function presetsFor(game: Sizes | undefined): Preset[] {
  const found = PRESETS.filter((preset) => preset.stages.every((stage) => suits(stage.form, game)))
  return mostInHeat(game) ? found.toSorted((one, other) => Number(other.id === 'heats') - Number(one.id === 'heats')) : found
}

/** What `<input type=datetime-local>` shows for a moment, in this computer's zone. */
export function localInput(moment: Date): string {
  const pad = (value: number): string => String(value).padStart(2, '0')
  const day = `${String(moment.getFullYear()).padStart(4, '0')}-${pad(moment.getMonth() + 1)}-${pad(moment.getDate())}`
  return `${day}T${pad(moment.getHours())}:${pad(moment.getMinutes())}`
}

/** The inverse; null for what is no time. */
export function momentOf(input: string): Date | null {
  const found = new Date(input)
  return input === '' || Number.isNaN(found.getTime()) ? null : found
}

/** In a week, at six in the evening. */
export function usualDeadline(now: Date): Date {
  const found = new Date(now)
  found.setDate(found.getDate() + 7)
  found.setHours(18, 0, 0, 0)
  return found
}

/** "in total 480 games, about 1.2 CPU hours; on the 2 slots of today's workers 35 min". */
export function previewText(preview: EventPreview): string {
  const games = preview.games.reduce((sum, one) => sum + one, 0)
  const each = preview.games.length > 1 ? ` (${preview.games.join(' + ')})` : ''
  const minutes = plural(Math.max(1, Math.round((preview.cpu_hours ?? 0) * 60)), 'CPU minute')
  const hours = preview.cpu_hours === null ? '' : `, about ${preview.cpu_hours < 0.1 ? minutes : `${preview.cpu_hours.toFixed(1)} CPU hours`}`
  const slots = `${preview.slots} ${preview.slots === 1 ? 'slot' : 'slots'}`
  const time = preview.minutes === null ? '' : `; on the ${slots} of today’s workers at most ${lasting(preview.minutes)}`
  return `At most ${games.toLocaleString('en')} games${each}${hours}${time}.`
}

export function lasting(minutes: number): string {
  if (minutes < 1) return 'a minute'
  const whole = Math.ceil(minutes)
  return whole < 90 ? `${whole} min` : `${Math.floor(whole / 60)} h ${whole % 60} min`
}

export interface Draft {
  game: string
  name: string
  about: string
  opens: string
  deadline: string
  /** Who may enter: everybody, who has a code, or who is listed. */
  entry: 'everybody' | 'code' | 'list'
  /** Names, one a line. */
  listed: string
  botsEach: number
  languages: string[]
  /** Null: as anywhere in the arena. */
  versionsADay: number | null
  sourceBytes: number | null
  stages: Required<EventStage>[]
  prizes: number
  held: boolean
  /** A ladder of its own while it is open. */
  ladder: boolean
}

/** An empty form, or one that holds an event. */
export function draftOf(event: EventDetail | null, game: string, now: Date, stages = PRESETS[0]!.stages): Draft {
  return {
    game: event?.game ?? game,
    name: event?.name ?? '',
    about: event?.about ?? '',
    opens: event ? localInput(new Date(event.opens_at)) : '',
    deadline: localInput(event ? new Date(event.deadline) : usualDeadline(now)),
    entry: event?.invited ? 'code' : event?.by_list ? 'list' : 'everybody',
    listed: (event?.listed ?? []).join('\n'),
    botsEach: event?.bots_each ?? 1,
    languages: [...(event?.languages ?? [])],
    versionsADay: event?.versions_a_day ?? null,
    sourceBytes: event?.source_bytes ?? null,
    stages: (event?.stages ?? stages).map((stage) => ({ ...stageOf(stage.form), ...stage })),
    prizes: event?.prizes ?? 3,
    held: event?.held ?? false,
    ladder: event?.ladder ?? true,
  }
}

/** The names of a list, one a line; commas and semicolons part them, too. */
export const namesOf = (text: string): string[] => text.split(/[\n,;]/).map((name) => name.trim()).filter(Boolean)

/** What is sent. Raises: RangeError, for times that are none. */
export function bodyOf(draft: Draft): NewEvent {
  const deadline = momentOf(draft.deadline)
  if (deadline === null) throw new RangeError('Enter the deadline as a date and a time.')
  return {
    game: draft.game,
    name: draft.name,
    about: draft.about,
    opens_at: momentOf(draft.opens)?.toISOString() ?? null,
    deadline: deadline.toISOString(),
    invited: draft.entry === 'code',
    listed: draft.entry === 'list' ? namesOf(draft.listed) : null,
    bots_each: draft.botsEach,
    languages: draft.languages.length ? draft.languages : null,
    versions_a_day: draft.versionsADay || null,
    source_bytes: draft.sourceBytes || null,
    stages: draft.stages,
    prizes: draft.prizes,
    held: draft.held,
    ladder: draft.ladder,
  }
}

/** What a draft takes over from an event that others changed meanwhile: fields that were typed in stay as they are. */
export function changedMeanwhile(draft: Draft, before: EventDetail, now: EventDetail): Partial<Draft> {
  const old = draftOf(before, before.game, new Date(before.deadline))
  const fresh = draftOf(now, now.game, new Date(now.deadline))
  const equal = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
  const names = (Object.keys(fresh) as (keyof Draft)[]).filter((name) => equal(draft[name], old[name]) && !equal(old[name], fresh[name]))
  return Object.fromEntries(names.map((name) => [name, fresh[name]]))
}

/**
 * Only what differs from the event: its options that are left alone keep their seconds and their order. An emptied time
 * of opening is now, unless the event is open already: null would change nothing.
 */
export function changesOf(draft: Draft, event: EventDetail, now = new Date()): Partial<NewEvent> {
  const before = bodyOf(draftOf(event, event.game, new Date(event.deadline)))
  const after = bodyOf(draft)
  after.opens_at ??= new Date(event.opens_at) > now ? now.toISOString() : before.opens_at
  const differs = (name: keyof NewEvent): boolean => JSON.stringify(before[name]) !== JSON.stringify(after[name])
  const names = (Object.keys(after) as (keyof NewEvent)[]).filter((name) => name !== 'game' && name !== 'invited' && differs(name))
  return Object.fromEntries(names.map((name) => [name, after[name]]))
}
