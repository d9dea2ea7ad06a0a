// A first Ants bot: a line of beacons from its base to the three nearest resources. Read, change, win.
import std.algorithm;
import std.array;
import std.conv;
import std.format;
import std.range;
import std.stdio;

int[] readNumbers() {
    return readln().split.to!(int[]);
}

void main() {
    // The map, once.
    int cellCount = readNumbers()[0];
    int[] kinds; // 0 nothing, 1 eggs, 2 crystal
    int[][] neighbours; // of each cell: up to six other cells
    foreach (_; 0 .. cellCount) {
        auto numbers = readNumbers();
        kinds ~= numbers[0];
        neighbours ~= numbers[2 .. $].filter!(cell => cell != -1).array;
    }
    int baseCount = readNumbers()[0];
    int[] myBases = readNumbers();
    int[] opponentBases = readNumbers();

    // Steps from my first base to each cell.
    int[] distances = repeat(-1, cellCount).array;
    distances[myBases[0]] = 0;
    int[] queue = [myBases[0]];
    for (size_t next = 0; next < queue.length; next++)
        foreach (near; neighbours[queue[next]])
            if (distances[near] == -1) {
                distances[near] = distances[queue[next]] + 1;
                queue ~= near;
            }

    while (true) {
        int[] numbers = readNumbers();
        if (numbers.empty) break;
        int myPoints, opponentPoints;
        if (numbers.length == 2) { // the points; only in the full game
            myPoints = numbers[0];
            opponentPoints = numbers[1];
            numbers = readNumbers();
        }
        int[] resources, myAnts, opponentAnts;
        foreach (cell; 0 .. cellCount) {
            if (cell > 0) numbers = readNumbers();
            resources ~= numbers[0];
            myAnts ~= numbers[1];
            opponentAnts ~= numbers[2];
        }

        auto targets = iota(cellCount).filter!(cell => resources[cell] > 0).array;
        targets.sort!((one, other) => distances[one] < distances[other], SwapStrategy.stable);
        auto commands = targets.take(3).map!(target => format("LINE %d %d 1", myBases[0], target)).array;
        writeln(commands.empty ? "WAIT" : commands.join(";"));
        stdout.flush();

        // Where to start: ants are spread over all beacons, so long lines are thin ones, and a chain harvests no more
        // than its thinnest cell. Take eggs first while there are few ants; then let one line begin where another ends.
    }
}
