/* Nodes of brackets, for tests. */
import type { BracketNode } from '../src/lib/types'

type Source = BracketNode['first_from']
export const seed = (index: number): Source => ({ kind: 'seed', index })
export const winner = (index: number): Source => ({ kind: 'winner', index })
export const loser = (index: number): Source => ({ kind: 'loser', index })
export const again = (index: number): Source => ({ kind: 'again', index })
export const node = (number: number, part: BracketNode['part'], round: number, first: Source, second: Source, more: Partial<BracketNode> = {}): BracketNode => ({
  number,
  part,
  round,
  first_from: first,
  second_from: second,
  first: null,
  second: null,
  bye: false,
  pairing: null,
  ...more,
})
