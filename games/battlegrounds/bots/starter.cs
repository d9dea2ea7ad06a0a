// A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.
// It speaks the line protocol of the rules page: a block of lines for each call, one line back.
using System;
using System.Linq;

class Player
{
    const int Side = 25, Middle = Side / 2;
    static readonly int[] Ways = { 1, 2, 3, 4, 6, 7, 8, 9 }; // 5 is the bot itself

    static string[] ReadLines(int count)
    {
        return Enumerable.Range(0, count).Select(_ => Console.ReadLine()).ToArray();
    }

    static int[] ReadNumbers()
    {
        return Console.ReadLine().Split(' ').Select(int.Parse).ToArray();
    }

    static int BesideX(int x, int way)
    {
        return x + (way - 1) % 3 - 1;
    }

    static int BesideY(int y, int way)
    {
        return y + (way - 1) / 3 - 1;
    }

    // How many of the eight neighbours are alive. Bots count as alive.
    // The cells around me: '0' dead, '1' alive, '2' to '5' one of us, 'x' an opponent.
    static int LiveNeighbours(string[] view, int x, int y)
    {
        return Ways.Count(way => view[BesideY(y, way)][BesideX(x, way)] != '0');
    }

    // Actions, and perhaps a message.
    static string Choose(string[] view)
    {
        int alive = LiveNeighbours(view, Middle, Middle);
        if (alive == 2 || alive == 3) return ""; // the generation at the end of this turn will not hurt

        // Step to a dead cell where it will not hurt. My own cell is dead once I have left it, so it counts no more.
        int[] dead = Ways.Where(way => view[BesideY(Middle, way)][BesideX(Middle, way)] == '0').ToArray();
        foreach (int way in dead)
        {
            int after = LiveNeighbours(view, BesideX(Middle, way), BesideY(Middle, way)) - 1;
            if (after == 2 || after == 3) return way + " say 4"; // 4 means: come here
        }

        // There is none. Alone? Then wake up neighbours until there are three.
        return string.Join(" ", dead.Take(Math.Max(0, 3 - alive)).Select(way => -way));
    }

    static void Main()
    {
        int number = 0, size = 0; // mine, 2 to 5; the board's
        for (string line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            string[] words = line.Split(' ');
            if (words[0] == "init")
            {
                number = int.Parse(words[1]);
                size = int.Parse(words[2]);
                string[] board = ReadLines(size); // before anybody is on it
                Console.WriteLine("ok");
            }
            else if (words[0] == "parachute") // ten times: where do I land?
            {
                int[][] team = Enumerable.Range(0, 4).Select(_ => ReadNumbers()).ToArray(); // what each of us said last, or -1 -1
                int[] chosen = team.FirstOrDefault(member => member[1] >= 0) ?? new[] { 0, size / 2, size / 2 };
                Console.WriteLine(chosen[1] + " " + chosen[2]);
            }
            else // 25 times start, while nothing lives or dies; then main, each turn until the end
            {
                bool main = words[0] == "main";
                int turn = int.Parse(words[1]), hp = main ? int.Parse(words[2]) : 4;
                int[] me = ReadNumbers(); // where I am on the board
                string[] view = ReadLines(Side);
                string[] team = ReadLines(main ? ReadNumbers()[0] : 0); // number, x, y of us who live
                string[] chat = ReadLines(ReadNumbers()[0]); // number and text, since last turn
                Console.WriteLine(main ? Choose(view) : "");
            }
        }
    }
}

// Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
// look ahead: play a generation of Life on the view for each thing that you could do, and do what hurts least.
