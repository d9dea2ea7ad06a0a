// A first Ants bot: a line of beacons from its base to the three nearest resources. Read, change, win.
declare function readline(): string | null

const readNumbers = (): number[] => {
  const line = readline()
  return line === null ? process.exit() : line.split(' ').map(Number)
}

// The map, once.
const [cellCount] = readNumbers() as [number]
const kinds: number[] = [] // 0 nothing, 1 eggs, 2 crystal
const neighbours: number[][] = [] // of each cell: up to six other cells
for (let cell = 0; cell < cellCount; cell++) {
  const [kind, amount, ...around] = readNumbers()
  kinds.push(kind!)
  neighbours.push(around.filter((near) => near !== -1))
}
const [baseCount] = readNumbers()
const myBases = readNumbers()
const opponentBases = readNumbers()

// Steps from my first base to each cell.
const distances = new Map<number, number>([[myBases[0]!, 0]])
for (const [cell, distance] of distances) {
  for (const near of neighbours[cell]!) if (!distances.has(near)) distances.set(near, distance + 1)
}

for (;;) {
  let numbers = readNumbers()
  let points = [0, 0] // mine, my opponent's
  if (numbers.length === 2) {
    // only in the full game
    points = numbers
    numbers = readNumbers()
  }
  const resources: number[] = []
  const myAnts: number[] = []
  const opponentAnts: number[] = []
  for (let cell = 0; cell < cellCount; cell++) {
    if (cell > 0) numbers = readNumbers()
    resources.push(numbers[0]!)
    myAnts.push(numbers[1]!)
    opponentAnts.push(numbers[2]!)
  }

  const targets = [...resources.keys()].filter((cell) => resources[cell]! > 0)
  targets.sort((one, other) => distances.get(one)! - distances.get(other)!)
  const commands = targets.slice(0, 3).map((target) => `LINE ${myBases[0]} ${target} 1`)
  console.log(commands.join(';') || 'WAIT')

  // Where to start: ants are spread over all beacons, so long lines are thin ones, and a chain harvests no more than
  // its thinnest cell. Take eggs first while there are few ants; then let one line begin where another one ends.
}
