// Drifter: a line from the nearest base to every crystal cell that is left. It takes no interest in eggs.
const CRYSTAL = 2;
const lines = require("node:readline").createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const readNumbers = async () => {
  const { value, done } = await lines.next();
  return done ? process.exit() : value.split(" ").map(Number);
};

async function main() {
  const [cellCount] = await readNumbers();
  const kinds = [];
  const neighbours = [];
  for (let cell = 0; cell < cellCount; cell++) {
    const [kind, amount, ...around] = await readNumbers();
    kinds.push(kind);
    neighbours.push(around.filter((near) => near !== -1));
  }
  await readNumbers();
  const bases = await readNumbers();
  await readNumbers();

  // Cell -> the base that is nearest to it.
  const home = new Map(bases.map((base) => [base, base]));
  for (const [cell, base] of home) {
    for (const near of neighbours[cell]) if (!home.has(near)) home.set(near, base);
  }

  for (;;) {
    let numbers = await readNumbers();
    if (numbers.length === 2) numbers = await readNumbers();
    const commands = [];
    for (let cell = 0; cell < cellCount; cell++) {
      if (cell > 0) numbers = await readNumbers();
      if (kinds[cell] === CRYSTAL && numbers[0] > 0) commands.push(`LINE ${home.get(cell)} ${cell} 1`);
    }
    console.log(commands.join(";") || "WAIT");
  }
}

main();
