// A first TryAngle Catch bot: three units walk to the nearest triangle, again and again. Read, change, win.
using System;
using System.Collections.Generic;
using System.Linq;

class Player
{
    static int[][] places; // id, x, y

    static int[] ReadNumbers()
    {
        string line = Console.ReadLine();
        if (line == null) Environment.Exit(0);
        return line.Split(' ').Select(int.Parse).ToArray();
    }

    static int[][] ReadRows(int count)
    {
        var rows = new int[count][];
        for (int row = 0; row < count; row++) rows[row] = ReadNumbers();
        return rows;
    }

    static int[][] ReadList()
    {
        return ReadRows(ReadNumbers()[0]);
    }

    // The square of the straight way between two houses.
    static int Distance(int one, int other)
    {
        int x = places[one][1] - places[other][1], y = places[one][2] - places[other][2];
        return x * x + y * y;
    }

    // Of some units, the one that is nearest to a house.
    static int Nearest(List<int> units, int house)
    {
        return units.Aggregate((best, unit) => Distance(unit, house) < Distance(best, house) ? unit : best);
    }

    static void Main()
    {
        // The map, once.
        places = ReadList();

        while (true)
        {
            int[] scores = ReadNumbers(); // mine, my opponent's
            int[][] houses = ReadRows(places.Length); // id, my units, my opponent's
            int[][] paths = ReadList();
            int[][] triangles = ReadList(); // three corners, owner, may I capture, may they
            int[][] linkable = ReadList(); // paths that could be added

            var commands = new List<string>();
            List<int> units = houses.SelectMany(house => Enumerable.Repeat(house[0], house[1])).ToList(); // each unit's house

            // A new unit, while there are few.
            int[] mine = triangles.FirstOrDefault(triangle => triangle[3] == 0);
            if (mine != null && units.Count < 6) commands.Add("SPAWN " + string.Join(" ", mine.Take(3)));

            // The nearest triangle to capture; to each of its corners goes the nearest unit.
            if (units.Count > 0)
            {
                int[] target = triangles
                    .Where(triangle => triangle[3] != 0 && triangle[4] == 1)
                    .OrderBy(triangle => triangle.Take(3).Sum(corner => Distance(Nearest(units, corner), corner)))
                    .FirstOrDefault();
                foreach (int corner in (target ?? new int[0]).Take(3))
                {
                    if (units.Count == 0) break;
                    int unit = Nearest(units, corner);
                    units.Remove(unit);
                    if (unit != corner) commands.Add("MOVE " + unit + " " + corner + " 1");
                }
            }
            Console.WriteLine(commands.Count > 0 ? string.Join(";", commands) : "WAIT");

            // Where to start: more than three units never walk; let them capture other triangles at the same time. A
            // straight way is not always the shortest one along the paths. And look where the opponent stands first.
        }
    }
}
