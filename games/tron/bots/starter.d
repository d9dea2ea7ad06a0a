// A first Tron bot: it rides to a random free cell. Read, change, win.
import std.random;
import std.stdio;

enum WIDTH = 30, HEIGHT = 20, NOBODY = -1;
immutable NAMES = ["UP", "DOWN", "LEFT", "RIGHT"];
immutable DX = [0, 0, -1, 1], DY = [-1, 1, 0, 0];

void main() {
    int[WIDTH][HEIGHT] trails = NOBODY; // whose trail is there, as trails[y][x]

    int playerCount, me;
    while (readf(" %d %d", playerCount, me) == 2) {
        int myX, myY;
        foreach (player; 0 .. playerCount) {
            int x0, y0, x, y;
            readf(" %d %d %d %d", x0, y0, x, y); // where its trail begins, and where it is now
            if (x == -1) { // it is out, and its trail is gone
                foreach (ref row; trails)
                    foreach (ref owner; row)
                        if (owner == player) owner = NOBODY;
            } else {
                trails[y0][x0] = trails[y][x] = player;
            }
            if (player == me) {
                myX = x;
                myY = y;
            }
        }

        string[] ways;
        foreach (way, name; NAMES) {
            int x = myX + DX[way], y = myY + DY[way];
            if (0 <= x && x < WIDTH && 0 <= y && y < HEIGHT && trails[y][x] == NOBODY) ways ~= name;
        }
        writeln(ways.length == 0 ? "UP" : ways[uniform(0, $)]);
        stdout.flush();

        // Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from
        // there, and take the way with the most.
    }
}
