// A first Yavalath bot: it plays a random empty cell. Read, change, win.
declare function readline(): string | null

type Cell = [x: number, y: number]

const myId = Number(readline()) // 1 if you begin, 2 if your opponent does

for (;;) {
  const rowCount = readline() // always 9
  if (rowCount === null) break
  const rows: string[] = [] // 0 empty, 1 your stone, 2 your opponent's
  for (let y = 0; y < Number(rowCount); y++) rows.push(readline()!)
  const [lastX, lastY] = readline()!.split(' ').map(Number) // your opponent's last move; -1 -1 if you begin

  const emptyCells: Cell[] = []
  rows.forEach((row, y) => [...row].forEach((stone, x) => stone === '0' && emptyCells.push([x, y])))
  const [x, y] = emptyCells[Math.floor(Math.random() * emptyCells.length)]!
  console.log(`${x} ${y} hello`)

  // Where to start: a random cell may complete a line of 3, and that loses. Look along the three directions
  // from each empty cell, leave out the cells that make a 3, and take the one that makes a 4.
}
