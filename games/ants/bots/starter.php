<?php
// A first Ants bot: a line of beacons from its base to the three nearest resources. Read, change, win.

function readNumbers(): array
{
    $line = fgets(STDIN);
    return $line === false ? exit() : array_map('intval', explode(' ', trim($line)));
}

// The map, once.
[$cellCount] = readNumbers();
$kinds = []; // 0 nothing, 1 eggs, 2 crystal
$neighbours = []; // of each cell: up to six other cells
for ($cell = 0; $cell < $cellCount; $cell++) {
    $numbers = readNumbers(); // kind, amount, and one number for each direction
    $kinds[] = $numbers[0];
    $neighbours[] = array_filter(array_slice($numbers, 2), fn ($near) => $near !== -1);
}
[$baseCount] = readNumbers();
$myBases = readNumbers();
$opponentBases = readNumbers();

// Steps from my first base to each cell.
$distances = [$myBases[0] => 0];
$queue = [$myBases[0]];
for ($next = 0; $next < count($queue); $next++) {
    foreach ($neighbours[$queue[$next]] as $near) {
        if (!isset($distances[$near])) {
            $distances[$near] = $distances[$queue[$next]] + 1;
            $queue[] = $near;
        }
    }
}

while (true) {
    $numbers = readNumbers();
    $points = [0, 0]; // mine, my opponent's
    if (count($numbers) === 2) { // only in the full game
        $points = $numbers;
        $numbers = readNumbers();
    }
    $resources = $myAnts = $opponentAnts = [];
    for ($cell = 0; $cell < $cellCount; $cell++) {
        if ($cell > 0) {
            $numbers = readNumbers();
        }
        [$resources[], $myAnts[], $opponentAnts[]] = $numbers;
    }

    $targets = array_keys(array_filter($resources, fn ($amount) => $amount > 0));
    usort($targets, fn ($one, $other) => $distances[$one] <=> $distances[$other]);
    $commands = array_map(fn ($target) => "LINE $myBases[0] $target 1", array_slice($targets, 0, 3));
    echo (implode(';', $commands) ?: 'WAIT') . "\n";

    // Where to start: ants are spread over all beacons, so long lines are thin ones, and a chain harvests no more than
    // its thinnest cell. Take eggs first while there are few ants; then let one line begin where another one ends.
}
