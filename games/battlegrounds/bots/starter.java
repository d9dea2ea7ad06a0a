// A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.
// It speaks the line protocol of the rules page: a block of lines for each call, one line back.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

class Player {
    static final int SIDE = 25, MIDDLE = SIDE / 2;
    static final int[] WAYS = {1, 2, 3, 4, 6, 7, 8, 9}; // 5 is the bot itself
    static final BufferedReader in = new BufferedReader(new InputStreamReader(System.in));

    static int besideX(int x, int way) {
        return x + (way - 1) % 3 - 1;
    }

    static int besideY(int y, int way) {
        return y + (way - 1) / 3 - 1;
    }

    // How many of the eight neighbours are alive. Bots count as alive.
    // The cells around me: '0' dead, '1' alive, '2' to '5' one of us, 'x' an opponent.
    static int liveNeighbours(String[] view, int x, int y) {
        int alive = 0;
        for (int way : WAYS)
            if (view[besideY(y, way)].charAt(besideX(x, way)) != '0') alive++;
        return alive;
    }

    // Actions, and perhaps a message.
    static String choose(String[] view) {
        int alive = liveNeighbours(view, MIDDLE, MIDDLE);
        if (alive == 2 || alive == 3) return ""; // the generation at the end of this turn will not hurt

        // Step to a dead cell where it will not hurt. My own cell is dead once I have left it, so it counts no more.
        List<Integer> dead = new ArrayList<>();
        for (int way : WAYS)
            if (view[besideY(MIDDLE, way)].charAt(besideX(MIDDLE, way)) == '0') dead.add(way);
        for (int way : dead) {
            int after = liveNeighbours(view, besideX(MIDDLE, way), besideY(MIDDLE, way)) - 1;
            if (after == 2 || after == 3) return way + " say 4"; // 4 means: come here
        }

        // There is none. Alone? Then wake up neighbours until there are three.
        StringBuilder actions = new StringBuilder();
        for (int i = 0; i < dead.size() && i < 3 - alive; i++) actions.append(-dead.get(i)).append(' ');
        return actions.toString().trim();
    }

    static String[] readLines(int count) throws IOException {
        String[] rows = new String[count];
        for (int row = 0; row < count; row++) rows[row] = in.readLine();
        return rows;
    }

    static int[] numbers(String line) {
        return Arrays.stream(line.split(" ")).mapToInt(Integer::parseInt).toArray();
    }

    public static void main(String[] args) throws IOException {
        int number = 0, size = 0; // mine, 2 to 5; the board's
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("init")) {
                number = Integer.parseInt(words[1]);
                size = Integer.parseInt(words[2]);
                String[] board = readLines(size); // before anybody is on it
                System.out.println("ok");
            } else if (words[0].equals("parachute")) { // ten times: where do I land?
                int x = -1, y = -1;
                for (String member : readLines(4)) { // what each of us said last, or -1 -1
                    int[] said = numbers(member);
                    if (x < 0) {
                        x = said[1];
                        y = said[2];
                    }
                }
                System.out.println(x < 0 ? size / 2 + " " + size / 2 : x + " " + y);
            } else { // 25 times start, while nothing lives or dies; then main, each turn until the end
                boolean main = words[0].equals("main");
                int turn = Integer.parseInt(words[1]);
                int hp = main ? Integer.parseInt(words[2]) : 4;
                int[] me = numbers(in.readLine()); // where I am on the board
                String[] view = readLines(SIDE);
                String[] team = main ? readLines(Integer.parseInt(in.readLine())) : new String[0]; // number, x, y of us who live
                String[] chat = readLines(Integer.parseInt(in.readLine())); // number and text, since last turn
                System.out.println(main ? choose(view) : "");
            }
        }
    }
}

// Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
// look ahead: play a generation of Life on the view for each thing that you could do, and do what hurts least.
