// A first Tron bot: it rides to a random free cell. Read, change, win.
using System;
using System.Collections.Generic;

class Player
{
    const int Width = 30, Height = 20, Nobody = -1;
    static readonly string[] Names = { "UP", "DOWN", "LEFT", "RIGHT" };
    static readonly int[] Dx = { 0, 0, -1, 1 }, Dy = { -1, 1, 0, 0 };

    static void Main()
    {
        var random = new Random();
        var trails = new int[Width, Height]; // whose trail is there
        for (int x = 0; x < Width; x++)
            for (int y = 0; y < Height; y++) trails[x, y] = Nobody;

        for (string line; (line = Console.ReadLine()) != null;)
        {
            string[] counts = line.Split(' ');
            int playerCount = int.Parse(counts[0]), me = int.Parse(counts[1]);
            int myX = 0, myY = 0;
            for (int player = 0; player < playerCount; player++)
            {
                string[] numbers = Console.ReadLine().Split(' ');
                int x0 = int.Parse(numbers[0]), y0 = int.Parse(numbers[1]); // where its trail begins
                int x = int.Parse(numbers[2]), y = int.Parse(numbers[3]); // where it is now
                if (x == -1) // it is out, and its trail is gone
                {
                    for (int column = 0; column < Width; column++)
                        for (int row = 0; row < Height; row++)
                            if (trails[column, row] == player) trails[column, row] = Nobody;
                }
                else trails[x0, y0] = trails[x, y] = player;
                if (player == me) { myX = x; myY = y; }
            }

            var ways = new List<string>();
            for (int way = 0; way < 4; way++)
            {
                int x = myX + Dx[way], y = myY + Dy[way];
                if (0 <= x && x < Width && 0 <= y && y < Height && trails[x, y] == Nobody) ways.Add(Names[way]);
            }
            Console.WriteLine(ways.Count == 0 ? "UP" : ways[random.Next(ways.Count)]);

            // Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from
            // there, and take the way with the most.
        }
    }
}
