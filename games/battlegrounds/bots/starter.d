// A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.
// It speaks the line protocol of the rules page: a block of lines for each call, one line back.
import std.algorithm;
import std.array;
import std.conv;
import std.format;
import std.range;
import std.stdio;
import std.string;

enum SIDE = 25, MIDDLE = 12; // I am in the middle of what I see
immutable WAYS = [1, 2, 3, 4, 6, 7, 8, 9]; // 5 is the bot itself

string[] readLines(int count) {
    return iota(count).map!(_ => readln().chomp).array;
}

/// A cell of the view: '0' dead, '1' alive, '2' to '5' one of us, 'x' an opponent.
char beside(string[] view, int x, int y, int way) {
    return view[y + (way - 1) / 3 - 1][x + (way - 1) % 3 - 1];
}

/// How many of the eight neighbours are alive. Bots count as alive.
int liveNeighbours(string[] view, int x, int y) {
    return cast(int) WAYS.count!(way => beside(view, x, y, way) != '0');
}

/// Actions, and perhaps a message.
string choose(string[] view) {
    int alive = liveNeighbours(view, MIDDLE, MIDDLE);
    if (alive == 2 || alive == 3) return ""; // the generation at the end of this turn will not hurt

    // Step to a dead cell where it will not hurt. My own cell is dead once I have left it, so it counts no more.
    auto dead = WAYS.filter!(way => beside(view, MIDDLE, MIDDLE, way) == '0').array;
    foreach (way; dead) {
        int after = liveNeighbours(view, MIDDLE + (way - 1) % 3 - 1, MIDDLE + (way - 1) / 3 - 1) - 1;
        if (after == 2 || after == 3) return format("%d say 4", way); // 4 means: come here
    }

    // There is none. Alone? Then wake up neighbours until there are three.
    return dead.take(max(0, 3 - alive)).map!(way => to!string(-way)).join(" ");
}

void main() {
    int number, size; // mine, 2 to 5; the board's
    foreach (line; stdin.byLineCopy) {
        auto words = line.split;
        if (words[0] == "init") {
            number = words[1].to!int;
            size = words[2].to!int;
            auto board = readLines(size); // before anybody is on it
            writeln("ok");
        } else if (words[0] == "parachute") { // ten times: where do I land?
            auto team = readLines(4).map!(mate => mate.split.to!(int[])); // what each of us said last, or -1 -1
            auto chosen = team.find!(mate => mate[1] >= 0);
            auto place = chosen.empty ? [0, size / 2, size / 2] : chosen.front;
            writefln("%d %d", place[1], place[2]);
        } else { // 25 times start, while nothing lives or dies; then main, each turn until the end
            bool isMain = words[0] == "main";
            int turn = words[1].to!int, hp = isMain ? words[2].to!int : 4;
            auto me = readln().split.to!(int[]); // where I am on the board
            auto view = readLines(SIDE);
            auto team = isMain ? readLines(readln().strip.to!int) : []; // number, x, y of us who live
            auto chat = readLines(readln().strip.to!int); // number and text, since last turn
            writeln(isMain ? choose(view) : "");
        }
        stdout.flush();
    }
}

// Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
// look ahead: play a generation of Life on the view for each thing that you could do, and do what hurts least.
