// A first TryAngle Catch bot: three units walk to the nearest triangle, again and again. Read, change, win.
declare function readline(): string | null

const readNumbers = (): number[] => {
  const line = readline()
  return line === null ? process.exit() : line.split(' ').map(Number)
}
const readRows = (count: number): number[][] => Array.from({ length: count }, readNumbers)
const readList = (): number[][] => readRows(readNumbers()[0]!)

// The map, once.
const places = readList() // id, x, y

// The square of the straight way between two houses.
const distance = (one: number, other: number): number =>
  (places[one]![1]! - places[other]![1]!) ** 2 + (places[one]![2]! - places[other]![2]!) ** 2
// Of some units, the one that is nearest to a house.
const nearest = (units: number[], house: number): number =>
  units.reduce((best, unit) => (distance(unit, house) < distance(best, house) ? unit : best))

for (;;) {
  const [myScore, opponentScore] = readNumbers()
  const houses = readRows(places.length) // id, my units, my opponent's
  const paths = readList()
  const triangles = readList() // three corners, owner, may I capture, may they
  const linkable = readList() // paths that could be added

  const commands: string[] = []
  const units = houses.flatMap(([house, mine]) => Array<number>(mine!).fill(house!)) // the house of each unit

  // A new unit, while there are few.
  const mine = triangles.find(([, , , owner]) => owner === 0)
  if (mine && units.length < 6) commands.push(`SPAWN ${mine.slice(0, 3).join(' ')}`)

  // The nearest triangle to capture; to each of its corners goes the nearest unit.
  let target: number[] = []
  let least = Infinity
  for (const [a, b, c, owner, iMay] of triangles as [number, number, number, number, number][]) {
    if (owner === 0 || !iMay || units.length === 0) continue
    const sum = [a, b, c].reduce((total, corner) => total + distance(nearest(units, corner), corner), 0)
    if (sum < least) [target, least] = [[a, b, c], sum]
  }
  for (const corner of target) {
    if (units.length === 0) break
    const unit = nearest(units, corner)
    units.splice(units.indexOf(unit), 1)
    if (unit !== corner) commands.push(`MOVE ${unit} ${corner} 1`)
  }
  console.log(commands.join(';') || 'WAIT')

  // Where to start: more than three units never walk; let them capture other triangles at the same time. A straight
  // way is not always the shortest one along the paths. And look where the opponent stands before you go there.
}
