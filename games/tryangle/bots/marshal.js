// Marshal: comes in crowds. To a guarded corner it sends up to four units, one more than stand there; it attacks where
// four or more stand together, and spends a triangle before it is lost. Like Striker it sees one turn, not the next.
const MOST_UNITS = 16;
const LAST_SPAWN = 180;
const STRIKE = 4; // so many units on one house are worth an attack, which costs three
const CROWD = 3; // more units than these are not fought for a corner,
const TOO_CROWDED = 3; // and make it so many steps farther
const STOLEN = 2; // the opponent's triangles count as so many steps nearer
const FAR = 99;

const lines = require("fs").createReadStream(0);
let waiting = null;
const arrived = [];
require("readline")
  .createInterface({ input: lines })
  .on("line", (line) => {
    if (waiting) {
      const resolve = waiting;
      waiting = null;
      resolve(line);
    } else arrived.push(line);
  });
