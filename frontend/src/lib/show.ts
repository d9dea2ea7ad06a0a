/* What a show of a final consists of, and which of its results have been shown by then. Pure. */
import { heatRound } from './events'
import type { BracketNode, EventDetail, EventHeat, EventHeatInfo, EventPairing, EventPairingInfo, EventStageState } from './types'

export type Slide =
  | { kind: 'title' }
  | { kind: 'bracket'; stage: number }
  | { kind: 'meet'; stage: number; pairing: EventPairing }
  | { kind: 'game'; stage: number; pairing: EventPairing; game: EventPairing['games'][number]; score: [number, number] }
  | { kind: 'result'; stage: number; pairing: EventPairing }
  | { kind: 'heat'; stage: number; heat: EventHeat }
  | { kind: 'heat-game'; stage: number; heat: EventHeat; game: EventHeat['games'][number]; points: number[] }
  | { kind: 'heat-result'; stage: number; heat: EventHeat }
  | { kind: 'table'; stage: number }
  | { kind: 'end' }

/** Node -> how many pairings must be over before it: what is played in the same column has the same. */
function depths(nodes: BracketNode[]): Map<number, number> {
  const found = new Map<number, number>()
  for (const node of nodes) {
    const before = [node.first_from, node.second_from].map((source) => (source.kind === 'seed' ? 0 : (found.get(source.index) ?? 0)))
    found.set(node.number, 1 + Math.max(...before))
  }
  return found
}

/** The decided pairings of a knockout in the order to show them: round by round, the match for third place before the final. */
export function showOrder(stage: EventStageState): EventPairingInfo[] {
  const depth = depths(stage.nodes)
  const last = Math.max(0, ...stage.nodes.filter((node) => node.part === 'main').map((node) => depth.get(node.number)!))
  const key = (pairing: EventPairingInfo): number => (depth.get(pairing.number) ?? 0) + (pairing.part === 'third' ? last - 0.5 - (depth.get(pairing.number) ?? 0) : 0)
  return stage.pairings.filter((one) => one.state === 'done').toSorted((one, other) => key(one) - key(other) || one.number - other.number)
}

/** How many entrants advance from a table, and how many of its best are worth watching where nobody does. */
const BEST = 4

/** Of a stage without a bracket: the pairings between those who are at the top in the end, the best pair last. */
export function topPairings(stage: EventStageState): EventPairingInfo[] {
  const best = new Map(stage.groups.flatMap((group) => group.rows.slice(0, BEST).map((row) => [row.entry, row.place] as const)))
  const among = stage.pairings.filter((one) => one.state === 'done' && one.first_points !== null && best.has(one.first) && best.has(one.second))
  return among.toSorted((one, other) => best.get(other.first)! + best.get(other.second)! - best.get(one.first)! - best.get(one.second)! || one.number - other.number)
}

/** A place to begin: the slides from there on are loaded. */
export interface Chapter {
  stage: number
  title: string
  pairings: EventPairingInfo[]
  heats?: EventHeatInfo[]
}

/** Of a stage of heats: the last round's heat of the best entrant, and the play-offs. */
export function topHeats(stage: EventStageState): EventHeatInfo[] {
  const last = Math.max(0, ...stage.heats.filter((heat) => !heat.playoff).map((heat) => heat.round))
  const best = stage.table[0]?.entry
  return stage.heats.filter((heat) => heat.state === 'done' && (heat.playoff || (heat.round === last && heat.entrants.some((one) => one.entry === best))))
}

/** What each entrant of a heat has by its games, in their order: the share of the others that it beat, a tie half. */
export function heatPoints(heat: EventHeat, games: EventHeat['games']): number[] {
  const others = heat.entrants.length - 1
  return heat.entrants.map(({ entry }) =>
    games.reduce((sum, game) => {
      const own = game.places?.[game.seats.indexOf(entry)]
      if (own === undefined) return sum
      const rest = game.places!.filter((_, seat) => game.seats[seat] !== entry)
      const beaten = rest.filter((place) => place > own).length + 0.5 * rest.filter((place) => place === own).length
      return sum + (beaten + others - rest.length) / others
    }, 0),
  )
}

/** The parts of a show, in order. Only what is decided. `titled`: the name of a pairing's round. */
export function chaptersOf(stages: EventStageState[], titled: (stage: EventStageState, pairing: EventPairingInfo) => string): Chapter[] {
  return stages.flatMap((stage, index) => {
    const last = index === stages.length - 1
    if (stage.stage.form === 'heats') {
      const table = { stage: stage.index, title: `Stage ${stage.index + 1}: heats`, pairings: [] }
      if (!last) return stage.table.length ? [table] : []
      return topHeats(stage).map((heat) => ({ ...table, title: `${table.title}, ${heatRound(heat).toLowerCase()}, heat ${heat.number + 1}`, heats: [heat] }))
    }
    if (stage.stage.form !== 'knockout') {
      return stage.groups.length ? [{ stage: stage.index, title: `Stage ${stage.index + 1}: ${stage.stage.form}`, pairings: last ? topPairings(stage) : [] }] : []
    }
    const found: Chapter[] = []
    for (const pairing of showOrder(stage)) {
      const title = titled(stage, pairing)
      const chapter = found.find((one) => one.title === title)
      if (chapter) chapter.pairings.push(pairing)
      else found.push({ stage: stage.index, title, pairings: [pairing] })
    }
    return found
  })
}

/** Where a show begins if nobody says: the last eight. */
export function firstChapter(chapters: Chapter[]): number {
  let pairings = 0
  let at = chapters.length
  while (at > 0 && (at === chapters.length || pairings + chapters[at - 1]!.pairings.length <= 8)) {
    at -= 1
    pairings += chapters[at]!.pairings.length
  }
  return Math.max(0, at)
}

/** All slides of some chapters. `details`: pairings with their games. */
export function slidesOf(stages: EventStageState[], chapters: Chapter[], details: Map<number, EventPairing>, heats = new Map<number, EventHeat>()): Slide[] {
  const slides: Slide[] = [{ kind: 'title' }]
  let stage = -1
  chapters.forEach((chapter, index) => {
    const knockout = stages.find((one) => one.index === chapter.stage)?.stage.form === 'knockout'
    if (knockout && chapter.stage !== stage) slides.push({ kind: 'bracket', stage: chapter.stage })
    stage = chapter.stage
    for (const info of chapter.pairings) {
      const pairing = details.get(info.id)
      if (!pairing) continue
      slides.push({ kind: 'meet', stage, pairing })
      let [first, second] = [0, 0]
      for (const game of pairing.games) {
        if (!game.counts || game.first_points === null) continue
        slides.push({ kind: 'game', stage, pairing, game, score: [first, second] })
        first += game.first_points
        second += 1 - game.first_points
      }
      slides.push({ kind: 'result', stage, pairing })
    }
    for (const info of chapter.heats ?? []) {
      const heat = heats.get(info.id)
      if (!heat) continue
      slides.push({ kind: 'heat', stage, heat })
      heat.games.forEach((game, number) => {
        if (game.places) slides.push({ kind: 'heat-game', stage, heat, game, points: heatPoints(heat, heat.games.slice(0, number)) })
      })
      slides.push({ kind: 'heat-result', stage, heat })
    }
    if (!knockout && chapters[index + 1]?.stage !== stage) slides.push({ kind: 'table', stage })
    else if (chapter.pairings.length > 1 && index + 1 < chapters.length) slides.push({ kind: 'bracket', stage })
  })
  slides.push({ kind: 'end' })
  return slides
}

/** Pairings whose result has been shown once slide `at` is on the screen; those of earlier chapters were never a secret. */
export function revealedUntil(slides: Slide[], at: number, before: Iterable<number>): Set<number> {
  const revealed = new Set(before)
  for (const slide of slides.slice(0, at + 1)) if (slide.kind === 'result') revealed.add(slide.pairing.id)
  return revealed
}

/** A bracket in which only some results are known. */
export function masked(stage: EventStageState, revealed: Set<number>): EventStageState {
  const winners = new Map<number, boolean>()
  const shown: BracketNode[] = []
  for (const node of stage.nodes) {
    const known = (source: BracketNode['first_from']): boolean => source.kind === 'seed' || (winners.get(source.index) ?? true)
    const [first, second] = [known(node.first_from), known(node.second_from)]
    const complete = first && second
    winners.set(node.number, node.bye ? complete : complete && (node.pairing === null || revealed.has(node.pairing)))
    shown.push({ ...node, first: first ? node.first : null, second: second ? node.second : null, bye: node.bye && complete })
  }
  const pairings = stage.pairings.map((one) => (revealed.has(one.id) ? one : { ...one, first_points: null, second_points: null, winner: null, state: 'waiting' as const }))
  return { ...stage, nodes: shown, pairings }
}

/** The way of an entrant to a pairing: "beat Keystone 3 : 1", in order. */
export function roadTo(event: EventDetail, stages: EventStageState[], entry: number, before: EventPairingInfo, stage: number): string[] {
  const named = (id: number): string => event.entries.find((one) => one.id === id)?.bot ?? ''
  const road: string[] = []
  for (const one of stages) {
    if (one.index > stage) break
    if (one.stage.form !== 'knockout') {
      if (one.index === stage) continue
      const group = one.groups.find((group) => group.rows.some((row) => row.entry === entry))
      const row = group?.rows.find((row) => row.entry === entry)
      if (group && row) road.push(`${group.name ? `Group ${group.name}` : one.stage.form}: place ${row.place}, ${row.points} of ${row.played}`)
      continue
    }
    for (const pairing of showOrder(one)) {
      if (one.index === stage && pairing.id === before.id) break
      if (pairing.first !== entry && pairing.second !== entry) continue
      const [own, other] = pairing.first === entry ? [pairing.first_points, pairing.second_points] : [pairing.second_points, pairing.first_points]
      road.push(`${pairing.winner === entry ? 'beat' : 'lost to'} ${named(pairing.first === entry ? pairing.second : pairing.first)} ${own} : ${other}`)
    }
  }
  return road
}
