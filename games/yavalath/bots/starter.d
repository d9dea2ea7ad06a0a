// A first Yavalath bot: it plays a random empty cell. Read, change, win.
import std.random;
import std.stdio;

void main() {
    int myId;
    readf(" %d", myId); // 1 if you begin, 2 if your opponent does

    int rowCount; // always 9
    while (readf(" %d", rowCount) == 1) {
        int[2][] emptyCells;
        foreach (y; 0 .. rowCount) {
            string row; // 0 empty, 1 your stone, 2 your opponent's
            readf(" %s\n", row);
            foreach (x, stone; row)
                if (stone == '0') emptyCells ~= [cast(int) x, y];
        }
        int lastX, lastY; // your opponent's last move; -1 -1 if you begin
        readf(" %d %d", lastX, lastY);

        auto cell = emptyCells[uniform(0, $)];
        writefln("%d %d hello", cell[0], cell[1]);
        stdout.flush();

        // Where to start: a random cell may complete a line of 3, and that loses. Look along the three directions
        // from each empty cell, leave out the cells that make a 3, and take the one that makes a 4.
    }
}
