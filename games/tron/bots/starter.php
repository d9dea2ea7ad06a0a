<?php
// A first Tron bot: it rides to a random free cell. Read, change, win.

const WIDTH = 30;
const HEIGHT = 20;
const DIRECTIONS = ['UP' => [0, -1], 'DOWN' => [0, 1], 'LEFT' => [-1, 0], 'RIGHT' => [1, 0]];

$trails = []; // "x y" => whose trail is there

while (($line = fgets(STDIN)) !== false) {
    [$playerCount, $me] = array_map('intval', explode(' ', trim($line)));
    $heads = [];
    for ($player = 0; $player < $playerCount; $player++) {
        // Where its trail begins, and where it is now.
        [$x0, $y0, $x, $y] = array_map('intval', explode(' ', trim(fgets(STDIN))));
        $heads[] = [$x, $y];
        if ($x === -1) { // it is out, and its trail is gone
            $trails = array_filter($trails, fn ($owner) => $owner !== $player);
        } else {
            $trails["$x0 $y0"] = $trails["$x $y"] = $player;
        }
    }

    [$myX, $myY] = $heads[$me];
    $ways = [];
    foreach (DIRECTIONS as $way => [$dx, $dy]) {
        $x = $myX + $dx;
        $y = $myY + $dy;
        if ($x >= 0 && $x < WIDTH && $y >= 0 && $y < HEIGHT && !isset($trails["$x $y"])) {
            $ways[] = $way;
        }
    }
    echo $ways ? $ways[array_rand($ways)] : 'UP', "\n";

    // Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from there,
    // and take the way with the most.
}
