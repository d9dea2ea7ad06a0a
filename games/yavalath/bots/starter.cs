// A first Yavalath bot: it plays a random empty cell. Read, change, win.
using System;
using System.Collections.Generic;

class Player
{
    static void Main()
    {
        var random = new Random();
        int myId = int.Parse(Console.ReadLine()); // 1 if you begin, 2 if your opponent does

        for (string line; (line = Console.ReadLine()) != null;)
        {
            int rowCount = int.Parse(line); // always 9
            var rows = new string[rowCount]; // 0 empty, 1 your stone, 2 your opponent's
            for (int y = 0; y < rowCount; y++) rows[y] = Console.ReadLine();
            string[] last = Console.ReadLine().Split(' ');
            int lastX = int.Parse(last[0]), lastY = int.Parse(last[1]); // your opponent's last move; -1 -1 if you begin

            var emptyCells = new List<int[]>();
            for (int y = 0; y < rowCount; y++)
                for (int x = 0; x < rows[y].Length; x++)
                    if (rows[y][x] == '0') emptyCells.Add(new[] { x, y });
            int[] cell = emptyCells[random.Next(emptyCells.Count)];
            Console.WriteLine(cell[0] + " " + cell[1] + " hello");

            // Where to start: a random cell may complete a line of 3, and that loses. Look along the three directions
            // from each empty cell, leave out the cells that make a 3, and take the one that makes a 4.
        }
    }
}
