// A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.
// It speaks the line protocol of the rules page: a block of lines for each call, one line back.
const lines = require("node:readline").createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const readLine = async () => (await lines.next()).value;

const SIDE = 25;
const ME = { x: 12, y: 12 }; // the middle of what I see
const WAYS = [1, 2, 3, 4, 6, 7, 8, 9]; // 5 is the bot itself

const beside = ({ x, y }, way) => ({ x: x + ((way - 1) % 3) - 1, y: y + Math.floor((way - 1) / 3) - 1 });

// A cell of the view: "0" dead, "1" alive, "2" to "5" one of us, "x" an opponent.
const cell = (view, { x, y }) => view[y][x];

// How many of the eight neighbours are alive. Bots count as alive.
const liveNeighbours = (view, place) => WAYS.filter((way) => cell(view, beside(place, way)) !== "0").length;

// Actions, and perhaps a message.
function choose(view) {
  const alive = liveNeighbours(view, ME);
  if (alive === 2 || alive === 3) return ""; // the generation at the end of this turn will not hurt

  // Step to a dead cell where it will not hurt. My own cell is dead once I have left it, so it counts no more.
  const dead = WAYS.filter((way) => cell(view, beside(ME, way)) === "0");
  const goal = dead.find((way) => [2, 3].includes(liveNeighbours(view, beside(ME, way)) - 1));
  if (goal !== undefined) return `${goal} say 4`; // 4 means: come here

  // There is none. Alone? Then wake up neighbours until there are three.
  return dead.slice(0, Math.max(0, 3 - alive)).map((way) => -way).join(" ");
}

async function readLines(count) {
  const rows = [];
  while (rows.length < count) rows.push(await readLine());
  return rows;
}

async function main() {
  let size = 0; // the board's
  for (let line = await readLine(); line !== undefined; line = await readLine()) {
    const [call, ...numbers] = line.split(" ");
    if (call === "init") {
      const number = Number(numbers[0]); // mine, 2 to 5
      size = Number(numbers[1]);
      const board = await readLines(size); // before anybody is on it
      console.log("ok");
    } else if (call === "parachute") {
      // Ten times: where do I land? The team: what each of us said last, or -1 -1.
      const team = (await readLines(4)).map((member) => member.split(" ").map(Number));
      const middle = Math.floor(size / 2);
      const [, x, y] = team.find((member) => member[1] >= 0) ?? [0, middle, middle];
      console.log(`${x} ${y}`);
    } else {
      // 25 times start, while nothing lives or dies; then main, each turn until the end.
      const [turn, hp = 4] = numbers.map(Number);
      const [x, y] = (await readLine()).split(" ").map(Number); // where I am on the board
      const view = await readLines(SIDE);
      const team = call === "main" ? await readLines(Number(await readLine())) : []; // number, x, y of us who live
      const chat = await readLines(Number(await readLine())); // number and text, since last turn
      console.log(call === "main" ? choose(view) : "");
    }
  }
}

main();

// Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
// look ahead: play a generation of Life on the view for each thing that you could do, and do what hurts least.
