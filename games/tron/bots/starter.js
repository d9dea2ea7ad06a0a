// A first Tron bot: it rides to a random free cell. Read, change, win.
const lines = require("node:readline").createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const readLine = async () => (await lines.next()).value;

const WIDTH = 30;
const HEIGHT = 20;
const DIRECTIONS = { UP: [0, -1], DOWN: [0, 1], LEFT: [-1, 0], RIGHT: [1, 0] };

async function main() {
  const trails = new Map(); // "x y" -> whose trail is there

  for (;;) {
    const line = await readLine();
    if (line === undefined) return;
    const [playerCount, me] = line.split(" ").map(Number);
    const heads = [];
    for (let player = 0; player < playerCount; player++) {
      const [x0, y0, x, y] = (await readLine()).split(" ").map(Number); // where its trail begins, and where it is now
      heads.push([x, y]);
      if (x === -1) {
        // It is out, and its trail is gone.
        for (const [cell, owner] of trails) if (owner === player) trails.delete(cell);
      } else {
        trails.set(`${x0} ${y0}`, player).set(`${x} ${y}`, player);
      }
    }

    const [myX, myY] = heads[me];
    const ways = Object.keys(DIRECTIONS).filter((way) => {
      const [x, y] = [myX + DIRECTIONS[way][0], myY + DIRECTIONS[way][1]];
      return x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT && !trails.has(`${x} ${y}`);
    });
    console.log(ways[Math.floor(Math.random() * ways.length)] ?? "UP");

    // Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from there,
    // and take the way with the most.
  }
}

main();
