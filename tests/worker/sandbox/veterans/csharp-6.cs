using System;
using System.Collections.Generic;
using System.Linq;

class Player {
    static void Main(string[] args) {
        while (true) {
            var numbers = new List<int> { int.Parse(Console.ReadLine()) };
            Console.Error.WriteLine($"turn {numbers.First()}");
            Console.WriteLine("REPLY " + numbers.Max());
        }
    }
}
