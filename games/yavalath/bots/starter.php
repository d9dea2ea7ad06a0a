<?php
// A first Yavalath bot: it plays a random empty cell. Read, change, win.

$myId = (int) fgets(STDIN); // 1 if you begin, 2 if your opponent does

while (($line = fgets(STDIN)) !== false) {
    $rowCount = (int) $line; // always 9
    $rows = []; // 0 empty, 1 your stone, 2 your opponent's
    for ($y = 0; $y < $rowCount; $y++) {
        $rows[] = trim(fgets(STDIN));
    }
    [$lastX, $lastY] = array_map('intval', explode(' ', trim(fgets(STDIN)))); // your opponent's last move; -1 -1 if you begin

    $emptyCells = [];
    foreach ($rows as $y => $row) {
        foreach (str_split($row) as $x => $stone) {
            if ($stone === '0') {
                $emptyCells[] = [$x, $y];
            }
        }
    }
    [$x, $y] = $emptyCells[array_rand($emptyCells)];
    echo "$x $y hello\n";

    // Where to start: a random cell may complete a line of 3, and that loses. Look along the three directions
    // from each empty cell, leave out the cells that make a 3, and take the one that makes a 4.
}
