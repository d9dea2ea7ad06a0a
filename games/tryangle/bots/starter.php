<?php
// A first TryAngle Catch bot: three units walk to the nearest triangle, again and again. Read, change, win.

function readNumbers(): array
{
    $line = fgets(STDIN);
    return $line === false ? exit() : array_map('intval', explode(' ', trim($line)));
}

function readRows(int $count): array
{
    $rows = [];
    while (count($rows) < $count) {
        $rows[] = readNumbers();
    }
    return $rows;
}

function readList(): array
{
    return readRows(readNumbers()[0]);
}

// The square of the straight way between two houses.
function distance(int $one, int $other): int
{
    global $places;
    return ($places[$one][1] - $places[$other][1]) ** 2 + ($places[$one][2] - $places[$other][2]) ** 2;
}

// Of some units, the one that is nearest to a house.
function nearest(array $units, int $house): int
{
    $best = reset($units);
    foreach ($units as $unit) {
        if (distance($unit, $house) < distance($best, $house)) {
            $best = $unit;
        }
    }
    return $best;
}

// The map, once.
$places = readList(); // id, x, y

while (true) {
    [$myScore, $opponentScore] = readNumbers();
    $houses = readRows(count($places)); // id, my units, my opponent's
    $paths = readList();
    $triangles = readList(); // three corners, owner, may I capture, may they
    $linkable = readList(); // paths that could be added

    $commands = [];
    $units = []; // the house of each unit
    foreach ($houses as [$house, $mine]) {
        array_push($units, ...array_fill(0, $mine, $house));
    }

    // A new unit, while there are few.
    foreach ($triangles as [$a, $b, $c, $owner]) {
        if ($owner === 0 && count($units) < 6) {
            $commands[] = "SPAWN $a $b $c";
            break;
        }
    }

    // The nearest triangle to capture; to each of its corners goes the nearest unit.
    $target = [];
    $least = PHP_INT_MAX;
    foreach ($triangles as [$a, $b, $c, $owner, $iMay]) {
        if ($owner === 0 || !$iMay || !$units) {
            continue;
        }
        $sum = 0;
        foreach ([$a, $b, $c] as $corner) {
            $sum += distance(nearest($units, $corner), $corner);
        }
        if ($sum < $least) {
            [$target, $least] = [[$a, $b, $c], $sum];
        }
    }
    foreach ($target as $corner) {
        if (!$units) {
            break;
        }
        $unit = nearest($units, $corner);
        unset($units[array_search($unit, $units)]);
        if ($unit !== $corner) {
            $commands[] = "MOVE $unit $corner 1";
        }
    }
    echo (implode(';', $commands) ?: 'WAIT') . "\n";

    // Where to start: more than three units never walk; let them capture other triangles at the same time. A straight
    // way is not always the shortest one along the paths. And look where the opponent stands before you go there.
}
