/* Where the pairings of a knockout are in its picture. Pure. */
import type { BracketNode } from './types'

export interface Box {
  node: BracketNode
  /** Top left corner, in units of the picture. */
  x: number
  y: number
}

export interface Title {
  text: string
  x: number
  y: number
}

/** `lines`: from the right side of one box to the left side of another. */
export interface Bracket {
  boxes: Box[]
  lines: { from: Box; to: Box }[]
  titles: Title[]
  width: number
  height: number
}

export interface Sizes {
  width: number
  height: number
  gapX: number
  gapY: number
  /** Room above a part for the names of its rounds. */
  title: number
}

export const SIZES: Sizes = { width: 172, height: 48, gapX: 32, gapY: 14, title: 26 }

/** Nothing is played there, or not any more: nobody needs to see it. */
export const isEmpty = (node: BracketNode): boolean => node.bye

/** A round's name: the last ones of a bracket are called what everybody calls them. */
export function roundTitle(part: BracketNode['part'], round: number, rounds: number, lives: number): string {
  if (part === 'third') return 'Third place'
  if (part === 'final') return round === 1 ? 'Grand final' : 'If needed, once more'
  if (part === 'lower') return round === rounds ? 'Lower final' : `Lower round ${round}`
  const left = rounds - round
  if (left === 0) return lives === 2 ? 'Upper final' : 'Final'
  if (left === 1) return 'Semifinals'
  if (left === 2) return 'Quarterfinals'
  return `Round ${round}`
}

/**
 * Rounds are columns. A pairing is in the middle of those that its entrants come from; the lower part is below
 * the main one, the final right of both, the match for the third place below the final.
 */
export function layout(nodes: BracketNode[], lives: number, sizes: Sizes = SIZES): Bracket {
  const at = new Map<number, Box>()
  const titles: Title[] = []
  const step = sizes.height + sizes.gapY
  const column = (index: number): number => index * (sizes.width + sizes.gapX)
  const ofPart = (part: BracketNode['part']): BracketNode[] => nodes.filter((node) => node.part === part)
  const roundsOf = (part: BracketNode['part']): number => Math.max(0, ...ofPart(part).map((node) => node.round))

  function place(part: BracketNode['part'], top: number): number {
    const rounds = roundsOf(part)
    let bottom = top
    for (let round = 1; round <= rounds; round += 1) {
      const made = ofPart(part).filter((node) => node.round === round)
      made.forEach((node, index) => {
        const before = [node.first_from, node.second_from].flatMap((source) => {
          const box = source.kind === 'winner' ? at.get(source.index) : undefined
          return box && box.node.part === part ? [box.y] : []
        })
        const y = before.length ? before.reduce((sum, one) => sum + one, 0) / before.length : top + sizes.title + index * step
        at.set(node.number, { node, x: column(round - 1), y })
        bottom = Math.max(bottom, y + sizes.height)
      })
      if (made.some((node) => !isEmpty(node))) titles.push({ text: roundTitle(part, round, rounds, lives), x: column(round - 1), y: top + 14 })
    }
    return bottom
  }

  let bottom = place('main', 0)
  const lower = ofPart('lower')
  if (lower.length) bottom = place('lower', bottom + sizes.gapY)
  const last = Math.max(roundsOf('main'), roundsOf('lower'))
  const middle = (found: number[]): number => (found.length ? found.reduce((sum, one) => sum + one, 0) / found.length : sizes.title)
  for (const node of ofPart('final')) {
    if (isEmpty(node)) continue
    const y = middle([node.first_from, node.second_from].flatMap((source) => at.get(source.index)?.y ?? []))
    at.set(node.number, { node, x: column(last + node.round - 1), y })
    titles.push({ text: roundTitle('final', node.round, 2, lives), x: column(last + node.round - 1), y: y - 8 })
  }
  for (const node of ofPart('third')) {
    const final = [...at.values()].find((box) => box.node.part === 'main' && box.node.round === last)
    const y = Math.max((final?.y ?? 0) + step + sizes.title, sizes.title)
    at.set(node.number, { node, x: column(last - 1), y })
    titles.push({ text: roundTitle('third', 1, 1, lives), x: column(last - 1), y: y - 8 })
    bottom = Math.max(bottom, y + sizes.height)
  }

  const boxes = [...at.values()].filter((box) => !isEmpty(box.node))
  const lines = boxes.flatMap((to) =>
    [to.node.first_from, to.node.second_from].flatMap((source) => {
      const from = source.kind === 'winner' ? at.get(source.index) : undefined
      return from && !isEmpty(from.node) ? [{ from, to }] : []
    }),
  )
  const width = Math.max(0, ...boxes.map((box) => box.x + sizes.width))
  return { boxes, lines, titles, width, height: bottom }
}

export type Arrow = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown'

/** The box that an arrow key leads to: the nearest in that direction; null at the edge. */
export function neighbour(boxes: Box[], from: Box, key: Arrow): Box | null {
  const ahead = boxes.filter((box) => {
    if (key === 'ArrowLeft') return box.x < from.x
    if (key === 'ArrowRight') return box.x > from.x
    return box.x === from.x && (key === 'ArrowUp' ? box.y < from.y : box.y > from.y)
  })
  const far = (box: Box): number => Math.abs(box.x - from.x) * 4 + Math.abs(box.y - from.y)
  return ahead.reduce<Box | null>((best, box) => (best === null || far(box) < far(best) ? box : best), null)
}

/** A name that fits into so many letters. */
export const shortened = (name: string, letters: number): string => {
  const found = Array.from(name)
  return found.length <= letters ? name : `${found.slice(0, letters - 1).join('')}…`
}
