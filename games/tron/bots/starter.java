// A first Tron bot: it rides to a random free cell. Read, change, win.
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Scanner;

class Player {
    static final int WIDTH = 30, HEIGHT = 20, NOBODY = -1;
    static final String[] NAMES = {"UP", "DOWN", "LEFT", "RIGHT"};
    static final int[] DX = {0, 0, -1, 1}, DY = {-1, 1, 0, 0};

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        Random random = new Random();
        int[][] trails = new int[HEIGHT][WIDTH]; // whose trail is there
        for (int[] row : trails) java.util.Arrays.fill(row, NOBODY);

        while (in.hasNextInt()) {
            int playerCount = in.nextInt(), me = in.nextInt();
            int myX = 0, myY = 0;
            for (int player = 0; player < playerCount; player++) {
                int x0 = in.nextInt(), y0 = in.nextInt(); // where its trail begins
                int x = in.nextInt(), y = in.nextInt(); // where it is now
                if (x == -1) { // it is out, and its trail is gone
                    for (int[] row : trails)
                        for (int column = 0; column < WIDTH; column++)
                            if (row[column] == player) row[column] = NOBODY;
                } else {
                    trails[y0][x0] = trails[y][x] = player;
                }
                if (player == me) {
                    myX = x;
                    myY = y;
                }
            }

            List<String> ways = new ArrayList<>();
            for (int way = 0; way < 4; way++) {
                int x = myX + DX[way], y = myY + DY[way];
                if (0 <= x && x < WIDTH && 0 <= y && y < HEIGHT && trails[y][x] == NOBODY) ways.add(NAMES[way]);
            }
            System.out.println(ways.isEmpty() ? "UP" : ways.get(random.nextInt(ways.size())));

            // Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from
            // there, and take the way with the most.
        }
    }
}
