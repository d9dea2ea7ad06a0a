// A first TryAngle Catch bot: three units walk to the nearest triangle, again and again. Read, change, win.
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Scanner;

class Player {
    record Triangle(List<Integer> corners, int owner, boolean iMay, boolean theyMay) {} // may capture it

    static final Scanner in = new Scanner(System.in);
    static int[] x, y; // of each house

    /** The square of the straight way between two houses. */
    static int distance(int one, int other) {
        return (x[one] - x[other]) * (x[one] - x[other]) + (y[one] - y[other]) * (y[one] - y[other]);
    }

    /** Of some units, the one that is nearest to a house. */
    static int nearest(List<Integer> units, int house) {
        return units.stream().min(Comparator.comparingInt(unit -> distance(unit, house))).orElseThrow();
    }

    static List<int[]> readPairs() {
        List<int[]> pairs = new ArrayList<>();
        for (int count = in.nextInt(); count > 0; count--) pairs.add(new int[] {in.nextInt(), in.nextInt()});
        return pairs;
    }

    public static void main(String[] args) {
        // The map, once.
        int houseCount = in.nextInt();
        x = new int[houseCount];
        y = new int[houseCount];
        for (int i = 0; i < houseCount; i++) {
            int house = in.nextInt();
            x[house] = in.nextInt();
            y[house] = in.nextInt();
        }

        while (in.hasNextInt()) {
            int myScore = in.nextInt(), opponentScore = in.nextInt();
            int[] myUnits = new int[houseCount], opponentUnits = new int[houseCount];
            for (int i = 0; i < houseCount; i++) {
                int house = in.nextInt();
                myUnits[house] = in.nextInt();
                opponentUnits[house] = in.nextInt();
            }
            List<int[]> paths = readPairs();
            List<Triangle> triangles = new ArrayList<>();
            for (int count = in.nextInt(); count > 0; count--) {
                List<Integer> corners = List.of(in.nextInt(), in.nextInt(), in.nextInt());
                triangles.add(new Triangle(corners, in.nextInt(), in.nextInt() == 1, in.nextInt() == 1));
            }
            List<int[]> linkable = readPairs(); // paths that could be added

            List<String> commands = new ArrayList<>();
            List<Integer> units = new ArrayList<>(); // the house of each unit
            for (int house = 0; house < houseCount; house++)
                for (int i = 0; i < myUnits[house]; i++) units.add(house);

            // A new unit, while there are few.
            for (Triangle triangle : triangles)
                if (triangle.owner == 0 && units.size() < 6) {
                    List<Integer> mine = triangle.corners;
                    commands.add("SPAWN " + mine.get(0) + " " + mine.get(1) + " " + mine.get(2));
                    break;
                }

            // The nearest triangle to capture; to each of its corners goes the nearest unit.
            List<Integer> target = List.of();
            int least = Integer.MAX_VALUE;
            for (Triangle triangle : triangles) {
                if (triangle.owner == 0 || !triangle.iMay || units.isEmpty()) continue;
                int sum = 0;
                for (int corner : triangle.corners) sum += distance(nearest(units, corner), corner);
                if (sum < least) {
                    target = triangle.corners;
                    least = sum;
                }
            }
            for (int corner : target) {
                if (units.isEmpty()) break;
                int unit = nearest(units, corner);
                units.remove(Integer.valueOf(unit));
                if (unit != corner) commands.add("MOVE " + unit + " " + corner + " 1");
            }
            System.out.println(commands.isEmpty() ? "WAIT" : String.join(";", commands));

            // Where to start: more than three units never walk; let them capture other triangles at the same time. A
            // straight way is not always the shortest one along the paths. And look where the opponent stands first.
        }
    }
}
