// A first Ants bot: a line of beacons from its base to the three nearest resources. Read, change, win.
using System;
using System.Collections.Generic;
using System.Linq;

class Player
{
    static int[] ReadNumbers()
    {
        string line = Console.ReadLine();
        if (line == null) Environment.Exit(0);
        return line.Split(' ').Select(int.Parse).ToArray();
    }

    static void Main()
    {
        // The map, once.
        int cellCount = ReadNumbers()[0];
        var kinds = new int[cellCount]; // 0 nothing, 1 eggs, 2 crystal
        var neighbours = new int[cellCount][]; // of each cell: up to six other cells
        for (int cell = 0; cell < cellCount; cell++)
        {
            int[] numbers = ReadNumbers(); // kind, amount, and one number for each direction
            kinds[cell] = numbers[0];
            neighbours[cell] = numbers.Skip(2).Where(near => near != -1).ToArray();
        }
        int baseCount = ReadNumbers()[0];
        int[] myBases = ReadNumbers();
        int[] opponentBases = ReadNumbers();

        // Steps from my first base to each cell.
        var distances = new Dictionary<int, int> { { myBases[0], 0 } };
        var queue = new Queue<int>(new[] { myBases[0] });
        while (queue.Count > 0)
        {
            int cell = queue.Dequeue();
            foreach (int near in neighbours[cell])
            {
                if (distances.ContainsKey(near)) continue;
                distances[near] = distances[cell] + 1;
                queue.Enqueue(near);
            }
        }

        while (true)
        {
            int[] numbers = ReadNumbers();
            int myPoints = 0, opponentPoints = 0;
            if (numbers.Length == 2) // only in the full game
            {
                myPoints = numbers[0];
                opponentPoints = numbers[1];
                numbers = ReadNumbers();
            }
            var resources = new int[cellCount];
            var myAnts = new int[cellCount];
            var opponentAnts = new int[cellCount];
            for (int cell = 0; cell < cellCount; cell++)
            {
                if (cell > 0) numbers = ReadNumbers();
                resources[cell] = numbers[0];
                myAnts[cell] = numbers[1];
                opponentAnts[cell] = numbers[2];
            }

            var commands = Enumerable.Range(0, cellCount)
                .Where(cell => resources[cell] > 0)
                .OrderBy(cell => distances[cell])
                .Take(3)
                .Select(target => "LINE " + myBases[0] + " " + target + " 1")
                .ToList();
            Console.WriteLine(commands.Count > 0 ? string.Join(";", commands) : "WAIT");

            // Where to start: ants are spread over all beacons, so long lines are thin ones, and a chain harvests no more
            // than its thinnest cell. Take eggs first while there are few ants; then let one line begin where another ends.
        }
    }
}
