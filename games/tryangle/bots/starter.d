// A first TryAngle Catch bot: three units walk to the nearest triangle, again and again. Read, change, win.
import std.algorithm;
import std.array;
import std.conv;
import std.format;
import std.range;
import std.stdio;

int[] readNumbers() {
    return readln().split.to!(int[]);
}

/// So many lines as the next line says.
int[][] readLines() {
    return iota(readNumbers()[0]).map!(_ => readNumbers()).array;
}

void main() {
    // The map, once.
    int[][] places = readLines().map!(house => house[1 .. $]).array; // x, y

    // The square of the straight way between two houses.
    int distance(int one, int other) {
        int dx = places[one][0] - places[other][0], dy = places[one][1] - places[other][1];
        return dx * dx + dy * dy;
    }

    while (true) {
        int[] scores = readNumbers(); // mine, my opponent's
        if (scores.empty) break;
        int[] units; // the house of each unit
        foreach (house; 0 .. cast(int) places.length) {
            auto numbers = readNumbers(); // house, my units, my opponent's
            units ~= repeat(house, numbers[1]).array;
        }
        int[][] paths = readLines();
        int[][] triangles = readLines(); // three corners, owner, may I capture, may they
        int[][] linkable = readLines(); // paths that could be added

        string[] commands;

        // A new unit, while there are few.
        auto mine = triangles.find!(triangle => triangle[3] == 0);
        if (!mine.empty && units.length < 6) commands ~= format("SPAWN %(%d %)", mine.front[0 .. 3]);

        // The nearest triangle to capture; to each of its corners goes the nearest unit.
        auto wanted = triangles.filter!(triangle => triangle[3] != 0 && triangle[4] != 0).array;
        if (!wanted.empty && !units.empty) {
            int way(int corner) {
                return units.map!(unit => distance(unit, corner)).minElement;
            }
            auto target = wanted.minElement!(triangle => triangle[0 .. 3].map!way.sum);
            foreach (corner; target[0 .. 3]) {
                if (units.empty) break;
                auto nearest = units.map!(unit => distance(unit, corner)).minIndex;
                int house = units[nearest];
                units = units.remove(nearest);
                if (house != corner) commands ~= format("MOVE %d %d 1", house, corner);
            }
        }
        writeln(commands.empty ? "WAIT" : commands.join(";"));
        stdout.flush();

        // Where to start: more than three units never walk; let them capture other triangles at the same time. A
        // straight way is not always the shortest one along the paths. And look where the opponent stands first.
    }
}
