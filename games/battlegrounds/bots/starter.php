<?php
// A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.
// It speaks the line protocol of the rules page: a block of lines for each call, one line back.

const SIDE = 25;
const ME = [12, 12]; // the middle of what I see
const WAYS = [1, 2, 3, 4, 6, 7, 8, 9]; // 5 is the bot itself

function readLines(int $count): array
{
    $rows = [];
    for ($row = 0; $row < $count; $row++) {
        $rows[] = rtrim(fgets(STDIN), "\n");
    }
    return $rows;
}

function numbers(string $line): array
{
    return array_map('intval', explode(' ', trim($line)));
}

function beside(array $place, int $way): array
{
    return [$place[0] + ($way - 1) % 3 - 1, $place[1] + intdiv($way - 1, 3) - 1];
}

// A cell of the view: '0' dead, '1' alive, '2' to '5' one of us, 'x' an opponent.
function cell(array $view, array $place): string
{
    return $view[$place[1]][$place[0]];
}

// How many of the eight neighbours are alive. Bots count as alive.
function liveNeighbours(array $view, array $place): int
{
    return count(array_filter(WAYS, fn ($way) => cell($view, beside($place, $way)) !== '0'));
}

// Actions, and perhaps a message.
function choose(array $view): string
{
    $alive = liveNeighbours($view, ME);
    if ($alive === 2 || $alive === 3) {
        return ''; // the generation at the end of this turn will not hurt
    }

    // Step to a dead cell where it will not hurt. My own cell is dead once I have left it, so it counts no more.
    $dead = array_values(array_filter(WAYS, fn ($way) => cell($view, beside(ME, $way)) === '0'));
    foreach ($dead as $way) {
        if (in_array(liveNeighbours($view, beside(ME, $way)) - 1, [2, 3], true)) {
            return "$way say 4"; // 4 means: come here
        }
    }

    // There is none. Alone? Then wake up neighbours until there are three.
    return implode(' ', array_map(fn ($way) => -$way, array_slice($dead, 0, max(0, 3 - $alive))));
}

$size = 0; // the board's
while (($line = fgets(STDIN)) !== false) {
    $words = explode(' ', trim($line));
    if ($words[0] === 'init') {
        [$number, $size] = [(int) $words[1], (int) $words[2]]; // mine, 2 to 5
        $board = readLines($size); // before anybody is on it
        echo "ok\n";
    } elseif ($words[0] === 'parachute') { // ten times: where do I land?
        [$x, $y] = [intdiv($size, 2), intdiv($size, 2)];
        foreach (array_reverse(array_map('numbers', readLines(4))) as $member) { // what each of us said last, or -1 -1
            if ($member[1] >= 0) {
                [, $x, $y] = $member;
            }
        }
        echo "$x $y\n";
    } else { // 25 times start, while nothing lives or dies; then main, each turn until the end
        $main = $words[0] === 'main';
        [$turn, $hp] = [(int) $words[1], (int) ($words[2] ?? 4)];
        $me = numbers(fgets(STDIN)); // where I am on the board
        $view = readLines(SIDE);
        $team = $main ? readLines((int) fgets(STDIN)) : []; // number, x, y of us who live
        $chat = readLines((int) fgets(STDIN)); // number and text, since last turn
        echo $main ? choose($view) : '', "\n";
    }
}

// Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
// look ahead: play a generation of Life on the view for each thing that you could do, and do what hurts least.
