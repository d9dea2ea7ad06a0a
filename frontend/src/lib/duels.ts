/* What a duel's page says about it. */
import { dateTime, signed, whole } from './format'
import type { Duel, DuelSide, NewDuel, Submission } from './types'

export const PRESETS: { id: NonNullable<NewDuel['preset']>; label: string; about: string }[] = [
  { id: 'quick', label: 'Quick', about: 'Stronger by 60 Elo, or not? About 200 matches between equals.' },
  { id: 'normal', label: 'Normal', about: 'Stronger by 40 Elo, or not? About 450 matches between equals.' },
  { id: 'fine', label: 'Fine', about: 'Stronger by 20 Elo, or not? About 1,400 matches between equals.' },
  { id: 'which', label: 'Which is better?', about: 'Which one to choose? About 165 matches between equals.' },
]

export const sideName = (side: DuelSide): string => `${side.bot} v${side.version}`

/** Whether a version may be in a new duel: it is on the ladder, or was replaced there. */
export const mayDuel = ({ state, deleted }: Pick<Submission, 'state' | 'deleted'>): boolean =>
  !deleted && (state === 'live' || state === 'superseded')

export const isOver = (duel: Duel): boolean => duel.state !== 'running'

/** The difference in strength, of the candidate's; infinite ends have no number. */
export function eloText({ elo, elo_low, elo_high, games }: Duel): string {
  if (games === 0) return 'no match counted yet'
  const low = elo_low === null ? '−∞' : signed(elo_low)
  const high = elo_high === null ? '+∞' : signed(elo_high)
  if (elo === null) return elo_low === null ? `${high} Elo or less, with 95 % probability` : `${low} Elo or more, with 95 % probability`
  return `${signed(elo)} Elo, 95 % interval ${low} to ${high}`
}

/** Where the likelihood is between both answers: 0 to 100 %. */
export function balance({ llr, llr_decides }: Duel): number {
  return Math.max(0, Math.min(100, 50 + (50 * llr) / llr_decides))
}

/** What the two ends of the likelihood's bar stand for. */
export function answers(duel: Duel): [string, string] {
  const name = duel.candidate.bot
  return [duel.preset === 'which' ? `${name} is weaker` : `${name} is not stronger`, `${name} is stronger`]
}

/** How often one answer is as likely as the other, from the log-likelihood ratio. */
export function odds(duel: Duel): string {
  if (duel.games === 0) return 'Both answers are equally likely.'
  const times = Math.exp(Math.abs(duel.llr))
  const decides = whole(Math.exp(duel.llr_decides))
  if (times < 1.05) return `Both answers are equally likely; ${decides} times as likely decides.`
  const [worse, better] = answers(duel)
  return `“${duel.llr > 0 ? better : worse}” is ${times < 10 ? times.toFixed(1) : whole(times)} times as likely; ${decides} times decides.`
}

/** Why no match of a running duel is queued, and when that ends; empty where it continues. */
export function pause(duel: Duel): string {
  if (duel.paused_until === null) return ''
  return `Paused until ${dateTime(duel.paused_until)}: ${duel.mine ? 'your matches' : 'the matches of whoever began it'} used up the CPU time of a day.`
}
