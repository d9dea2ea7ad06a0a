// A first Yavalath bot: it plays a random empty cell. Read, change, win.
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Scanner;

class Player {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        Random random = new Random();
        int myId = in.nextInt(); // 1 if you begin, 2 if your opponent does

        while (in.hasNextInt()) {
            int rowCount = in.nextInt(); // always 9
            String[] rows = new String[rowCount]; // 0 empty, 1 your stone, 2 your opponent's
            for (int y = 0; y < rowCount; y++) rows[y] = in.next();
            int lastX = in.nextInt(); // your opponent's last move; -1 -1 if you begin
            int lastY = in.nextInt();

            List<int[]> emptyCells = new ArrayList<>();
            for (int y = 0; y < rowCount; y++)
                for (int x = 0; x < rows[y].length(); x++)
                    if (rows[y].charAt(x) == '0') emptyCells.add(new int[] {x, y});
            int[] cell = emptyCells.get(random.nextInt(emptyCells.size()));
            System.out.println(cell[0] + " " + cell[1] + " hello");

            // Where to start: a random cell may complete a line of 3, and that loses. Look along the three directions
            // from each empty cell, leave out the cells that make a 3, and take the one that makes a 4.
        }
    }
}
