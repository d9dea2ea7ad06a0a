// A first Ants bot: a line of beacons from its base to the three nearest resources. Read, change, win.
import java.util.*;

class Player {
    static final Scanner in = new Scanner(System.in);

    /** The numbers of the next line. */
    static int[] readNumbers() {
        return Arrays.stream(in.nextLine().trim().split(" ")).mapToInt(Integer::parseInt).toArray();
    }

    public static void main(String[] args) {
        // The map, once.
        int cellCount = readNumbers()[0];
        int[] kinds = new int[cellCount]; // 0 nothing, 1 eggs, 2 crystal
        List<List<Integer>> neighbours = new ArrayList<>(); // of each cell: up to six other cells
        for (int cell = 0; cell < cellCount; cell++) {
            int[] numbers = readNumbers(); // kind, amount, and one number for each direction
            kinds[cell] = numbers[0];
            List<Integer> around = new ArrayList<>();
            for (int way = 2; way < 8; way++) if (numbers[way] != -1) around.add(numbers[way]);
            neighbours.add(around);
        }
        int baseCount = readNumbers()[0];
        int[] myBases = readNumbers();
        int[] opponentBases = readNumbers();

        // Steps from my first base to each cell.
        int[] distances = new int[cellCount];
        Arrays.fill(distances, -1);
        distances[myBases[0]] = 0;
        List<Integer> queue = new ArrayList<>(List.of(myBases[0]));
        for (int next = 0; next < queue.size(); next++)
            for (int near : neighbours.get(queue.get(next)))
                if (distances[near] < 0) {
                    distances[near] = distances[queue.get(next)] + 1;
                    queue.add(near);
                }

        while (in.hasNextLine()) {
            int[] numbers = readNumbers();
            int myPoints = 0, opponentPoints = 0;
            if (numbers.length == 2) { // only in the full game
                myPoints = numbers[0];
                opponentPoints = numbers[1];
                numbers = readNumbers();
            }
            int[] resources = new int[cellCount], myAnts = new int[cellCount], opponentAnts = new int[cellCount];
            for (int cell = 0; cell < cellCount; cell++) {
                if (cell > 0) numbers = readNumbers();
                resources[cell] = numbers[0];
                myAnts[cell] = numbers[1];
                opponentAnts[cell] = numbers[2];
            }

            List<Integer> targets = new ArrayList<>();
            for (int cell = 0; cell < cellCount; cell++) if (resources[cell] > 0) targets.add(cell);
            targets.sort(Comparator.comparingInt(cell -> distances[cell]));
            List<String> commands = new ArrayList<>();
            for (int target : targets.subList(0, Math.min(3, targets.size())))
                commands.add("LINE " + myBases[0] + " " + target + " 1");
            System.out.println(commands.isEmpty() ? "WAIT" : String.join(";", commands));

            // Where to start: ants are spread over all beacons, so long lines are thin ones, and a chain harvests no
            // more than its thinnest cell. Take eggs first while there are few ants; then let one line begin where
            // another one ends.
        }
    }
}
