// A first Tron bot: it rides to a random free cell. Read, change, win.
declare function readline(): string | null

const WIDTH = 30
const HEIGHT = 20
const DIRECTIONS: [name: string, dx: number, dy: number][] = [['UP', 0, -1], ['DOWN', 0, 1], ['LEFT', -1, 0], ['RIGHT', 1, 0]]

const trails = new Map<string, number>() // "x y" -> whose trail is there

for (;;) {
  const line = readline()
  if (line === null) break
  const [playerCount, me] = line.split(' ').map(Number) as [number, number]
  const heads: [x: number, y: number][] = []
  for (let player = 0; player < playerCount; player++) {
    const [x0, y0, x, y] = readline()!.split(' ').map(Number) as [number, number, number, number]
    heads.push([x, y]) // its trail begins at x0 y0, and it is at x y now
    if (x === -1) {
      // It is out, and its trail is gone.
      for (const [cell, owner] of trails) if (owner === player) trails.delete(cell)
    } else {
      trails.set(`${x0} ${y0}`, player).set(`${x} ${y}`, player)
    }
  }

  const [myX, myY] = heads[me]!
  const ways = DIRECTIONS.filter(([, dx, dy]) => {
    const [x, y] = [myX + dx, myY + dy]
    return x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT && !trails.has(`${x} ${y}`)
  })
  console.log(ways[Math.floor(Math.random() * ways.length)]?.[0] ?? 'UP')

  // Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from there,
  // and take the way with the most.
}
