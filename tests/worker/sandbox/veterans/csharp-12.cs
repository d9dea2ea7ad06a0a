using System;
using System.Collections.Generic;
using System.Linq;

namespace Arena;

public record struct Point(int X, int Y)
{
    public static Point operator +(Point a, Point b) => new(a.X + b.X, a.Y + b.Y);
}

public abstract record Order;
public sealed record Move(Point By) : Order;
public sealed record Wait : Order;

/// A primary constructor, of C# 12.
public class Turn(int number, List<Order> orders)
{
    public required string Word { get; init; }
    public int Number => number;
    public Order Best() => orders.MaxBy(order => order is Move { By: { X: > 0 } } ? 1 : 0)!;
}

internal static class Player
{
    private static readonly int[] Steps = [1, 2, 3, 4];
    private static readonly Point[] Ways = [new(0, 1), new(1, 0)];

    private static string Describe(Order order) => order switch
    {
        Move { By: (var x, _) } when x > 0 => "right",
        Move or Wait => "rest",
        _ => throw new ArgumentOutOfRangeException(nameof(order)),
    };

    private static int Distance(Point from, Point to)
    {
        var queue = new PriorityQueue<Point, int>();
        var seen = new Dictionary<Point, int> { [from] = 0 };
        queue.Enqueue(from, 0);
        while (queue.TryDequeue(out var at, out var cost))
        {
            if (at == to) return cost;
            foreach (var step in Ways)
                if (seen.TryAdd(at + step, cost + 1)) queue.Enqueue(at + step, cost + 1);
        }
        return -1;
    }

    public static void Main()
    {
        while (Console.ReadLine() is { Length: > 0 } line)
        {
            var turn = new Turn(int.Parse(line.AsSpan()), [new Wait(), new Move(new(1, 0))]) { Word = "REPLY" };
            int[] some = [0, .. Steps[1..^1], 9];
            var (least, most) = (some.Min(), some.Max());
            Console.Error.WriteLine($"{Describe(turn.Best())} {least} {most} {Distance(new(0, 0), new(2, 2))}");
            string raw = $$"""{{turn.Word}} {{turn.Number}}""";
            Console.WriteLine(raw);
        }
    }
}
