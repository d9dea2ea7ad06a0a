/* The private logs of a user's own seats: what each of them read, wrote and logged. */
import { api } from '../lib/client'
import { splitLines, type Exchange } from './replay'

export interface SeatLog {
  seat: number
  log: Exchange[]
}

/** The logs of these seats. One that cannot be read is left out: they are kept for a limited time. */
export async function readSeatLogs(match: number, seats: number[]): Promise<SeatLog[]> {
  const logs: SeatLog[] = []
  for (const seat of seats) {
    try {
      const log: Exchange[] = []
      for await (const lines of splitLines(await api.seatLog(match, seat))) {
        log.push(...lines.map((line) => JSON.parse(line) as Exchange))
      }
      logs.push({ seat, log })
    } catch {
      // The match is shown without it.
    }
  }
  return logs
}
