/* The CPU time of one seat's turns, from replays, as a distribution. Pure. */

/** A share of the turns: from so many milliseconds on, up to the next. */
export interface Bin {
  from: number
  turns: number
}

export interface CpuTimes {
  /** Where the bins end: at the limit, or earlier where all turns are far below it. */
  top: number
  turns: number
  median: number
  p99: number
  worst: number
  bins: Bin[]
}

const BINS = 20
const TOPS_MS = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500]

/** Milliseconds of each turn of these seats in a replay; the first turn has another limit, and is left out. */
export function turnTimes(replay: string, seats: number[]): number[] {
  const found: number[] = []
  const met = new Set<number>()
  for (const line of replay.split('\n')) {
    const cpu = cpuOf(line)
    for (const seat of seats) {
      const ms = cpu?.[seat]
      if (typeof ms !== 'number') continue
      if (met.has(seat)) found.push(ms)
      met.add(seat)
    }
  }
  return found
}

/** Of a line of a replay; undefined where nothing was measured, or the line is cut off. */
function cpuOf(line: string): unknown[] | undefined {
  if (!line.includes('"cpu"')) return undefined
  try {
    const { cpu } = JSON.parse(line) as { cpu?: unknown }
    return Array.isArray(cpu) ? cpu : undefined
  } catch {
    return undefined
  }
}

/** Null without turns. What is beyond the last bin is in it. */
export function distribution(times: number[], limitMs: number): CpuTimes | null {
  if (!times.length) return null
  const top = Math.min(limitMs, TOPS_MS.find((one) => one > Math.max(...times)) ?? limitMs)
  const sorted = [...times].sort((a, b) => a - b)
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!
  const bins = Array.from({ length: BINS }, (_, index) => ({ from: (index * top) / BINS, turns: 0 }))
  for (const time of sorted) bins[Math.max(0, Math.min(BINS - 1, Math.floor((time / top) * BINS)))]!.turns++
  return { top, turns: sorted.length, median: at(0.5), p99: at(0.99), worst: sorted.at(-1)!, bins }
}
