// A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.
// It speaks the line protocol of the rules page: a block of lines for each call, one line back.
declare function readline(): string | null

interface Place {
  x: number
  y: number
}

const SIDE = 25
const ME: Place = { x: 12, y: 12 } // the middle of what I see
const WAYS = [1, 2, 3, 4, 6, 7, 8, 9] // 5 is the bot itself

const readLine = (): string => readline() ?? process.exit()
const readLines = (count: number): string[] => Array.from({ length: count }, readLine)
const readNumbers = (): number[] => readLine().split(' ').map(Number)

const beside = ({ x, y }: Place, way: number): Place => ({ x: x + ((way - 1) % 3) - 1, y: y + Math.floor((way - 1) / 3) - 1 })

// A cell of the view: '0' dead, '1' alive, '2' to '5' one of us, 'x' an opponent.
const cell = (view: string[], { x, y }: Place): string => view[y]![x]!

// How many of the eight neighbours are alive. Bots count as alive.
const liveNeighbours = (view: string[], place: Place): number => WAYS.filter((way) => cell(view, beside(place, way)) !== '0').length

// Actions, and perhaps a message.
function choose(view: string[]): string {
  const alive = liveNeighbours(view, ME)
  if (alive === 2 || alive === 3) return '' // the generation at the end of this turn will not hurt

  // Step to a dead cell where it will not hurt. My own cell is dead once I have left it, so it counts no more.
  const dead = WAYS.filter((way) => cell(view, beside(ME, way)) === '0')
  const goal = dead.find((way) => [2, 3].includes(liveNeighbours(view, beside(ME, way)) - 1))
  if (goal !== undefined) return `${goal} say 4` // 4 means: come here

  // There is none. Alone? Then wake up neighbours until there are three.
  return dead.slice(0, Math.max(0, 3 - alive)).map((way) => -way).join(' ')
}

let size = 0 // the board's
for (;;) {
  const [call, ...words] = readLine().split(' ')
  const numbers = words.map(Number)
  if (call === 'init') {
    const number = numbers[0]! // mine, 2 to 5
    size = numbers[1]!
    const board = readLines(size) // before anybody is on it
    console.log('ok')
  } else if (call === 'parachute') {
    // Ten times: where do I land? The team: what each of us said last, or -1 -1.
    const team = Array.from({ length: 4 }, readNumbers)
    const middle = Math.floor(size / 2)
    const [, x, y] = team.find((member) => member[1]! >= 0) ?? [0, middle, middle]
    console.log(`${x} ${y}`)
  } else {
    // 25 times start, while nothing lives or dies; then main, each turn until the end.
    const [turn, hp = 4] = numbers
    const [x, y] = readNumbers() // where I am on the board
    const view = readLines(SIDE)
    const team = call === 'main' ? readLines(Number(readLine())) : [] // number, x, y of us who live
    const chat = readLines(Number(readLine())) // number and text, since last turn
    console.log(call === 'main' ? choose(view) : '')
  }
}

// Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
// look ahead: play a generation of Life on the view for each thing that you could do, and do what hurts least.
