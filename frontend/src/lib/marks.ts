/* Marks in words. Pure. */
import type { ClassMark } from './types'

type RungMark = ClassMark['rungs'][number]

/** A probability in whole percent; never quite 0 or 100, as nothing is certain. */
export function percentOf(share: number): string {
  if (share > 0.995) return '> 99 %'
  if (share < 0.005) return '< 1 %'
  return `${Math.round(share * 100)} %`
}

/** "+120 Elo, 40 to 200". */
export function gapText({ elo, low, high }: Pick<RungMark, 'elo' | 'low' | 'high'>): string {
  const signed = (value: number): string => `${value < -0.5 ? '−' : value > 0.5 ? '+' : ''}${Math.abs(Math.round(value))}`
  return `${signed(elo)} Elo, ${signed(low)} to ${signed(high)}`
}
