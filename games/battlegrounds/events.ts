/* What happens in a turn, in words: who dies and of what, who is hurt, and the parts of the match. */
import { teamOf, type Header } from '$viewer/game'
import { botNumber, DX, DY, generationsAt, living, shortestOffset, wrap, type BattleFrame, type Bot, type Init, type Point, type Seat } from './frames'
import { isAlive, type Cells } from './life'

/** Something to read: `seat` is whom it is about. `at`: where it was. */
export interface Happening {
  turn: number
  text: string
  seat?: Seat
  at?: Point
}

/** So many are kept. */
const KEPT = 8
/** An opponent as near as this, in cells, is named beside a death. */
const BESIDE = 3

export const logged = (log: Happening[], fresh: Happening[]): Happening[] =>
  fresh.length === 0 ? log : [...log, ...fresh].slice(-KEPT)

export const botName = (header: Header, seat: Seat): string => `${header.players[seat]!.bot} ${botNumber(header, seat)}`

/** Live neighbours of a place, bots included. */
export function neighboursAt(cells: Cells, bots: Bot[], size: number, x: number, y: number): number {
  let found = 0
  for (let direction = 1; direction <= 9; direction++) {
    if (direction === 5) continue
    const nx = wrap(x + DX[direction]!, size)
    const ny = wrap(y + DY[direction]!, size)
    if (isAlive(cells, size, nx, ny) || bots.some((bot) => bot.x === nx && bot.y === ny)) found++
  }
  return found
}

/** Seat -> of what it dies in a generation: `bots` and `cells` are as before it, after the actions. */
export function causesOf(bots: (Bot | null)[], cells: Cells, { hp = [] }: BattleFrame, header: Header<Init>): Map<Seat, string> {
  const causes = new Map<Seat, string>()
  for (const [seat, left] of hp) {
    const bot = bots[seat]
    if (left > 0 || !bot) continue
    const found = neighboursAt(cells, living(bots), header.init.size, bot.x, bot.y)
    const word = found < 2 ? 'alone' : 'crowded'
    const by = opponentBeside(bots, seat, header)
    const many = `${found} ${found === 1 ? 'neighbour' : 'neighbours'}`
    causes.set(seat, `${word}, ${many}${by === null ? '' : `, beside ${botName(header, by)}`}`)
  }
  return causes
}

function opponentBeside(bots: (Bot | null)[], seat: Seat, header: Header<Init>): Seat | null {
  const { size } = header.init
  const { x, y } = bots[seat]!
  const away = (bot: Bot): number => Math.max(Math.abs(shortestOffset(x, bot.x, size)), Math.abs(shortestOffset(y, bot.y, size)))
  const near = bots.flatMap((bot, other) =>
    bot && bot.hp > 0 && teamOf(header, other) !== teamOf(header, seat) && away(bot) <= BESIDE ? [other] : [],
  )
  near.sort((one, other) => away(bots[one]!) - away(bots[other]!))
  return near[0] ?? null
}

export function happenings(frame: BattleFrame, before: (Bot | null)[], after: (Bot | null)[], header: Header<Init>): Happening[] {
  const { t: turn } = frame
  const about = (seat: Seat, what: string): Happening => {
    const bot = after[seat]
    return { turn, seat, text: `${botName(header, seat)} ${what}`, ...(bot ? { at: [bot.x, bot.y] as Point } : {}) }
  }
  return [
    ...(frame.land ? [{ turn, text: 'The bots land' }] : []),
    ...(generationsAt(header, turn) === 1 ? [{ turn, text: 'Life begins' }] : []),
    ...(frame.z?.[2] === 0 ? [{ turn, text: 'The red zone opens', at: [frame.z[0], frame.z[1]] as Point }] : []),
    ...(frame.rm ?? []).map((seat) => about(seat, 'is removed for a fault')),
    ...(frame.hp ?? []).flatMap(([seat, hp]) => {
      const had = before[seat]?.hp ?? 0
      if (hp === 0) return [about(seat, `dies: ${after[seat]?.cause ?? 'no health left'}`)]
      if (hp < had) return [about(seat, `is hurt, ${hp} hp left`)]
      return hp > had ? [about(seat, `is healed to ${hp} hp`)] : []
    }),
  ]
}
