// Harvester: grows one network of beacons from its bases, always by the nearest resource, eggs first while there are
// few ants. The network stops growing when its cells would hold less than three ants each.
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

const int ants_per_cell = 3;
const int egg_advantage = 2;  // so many steps more are worth going for eggs
const int egg_turns = 35;     // later on eggs do not pay back

std::vector<int> read_numbers() {
    std::string line;
    std::getline(std::cin, line);
    std::istringstream words(line);
    std::vector<int> numbers;
    for (int number; words >> number;) numbers.push_back(number);
    return numbers;
}

int main() {
    int cell_count = read_numbers().at(0);
    std::vector<int> kinds;
    std::vector<std::vector<int>> neighbours(cell_count);
    for (int cell = 0; cell < cell_count; cell++) {
        std::vector<int> numbers = read_numbers();
        kinds.push_back(numbers[0]);
        for (int way = 2; way < 8; way++)
            if (numbers[way] >= 0) neighbours[cell].push_back(numbers[way]);
    }
    read_numbers();
    const std::vector<int> bases = read_numbers();
    read_numbers();

    for (int turn = 1;; turn++) {
        std::vector<int> numbers = read_numbers();
        if (numbers.empty()) return 0;
        if (numbers.size() == 2) numbers = read_numbers();
        std::vector<int> left(cell_count);
        int ants = 0;
        for (int cell = 0; cell < cell_count; cell++) {
            if (cell > 0) numbers = read_numbers();
            left[cell] = numbers[0];
            ants += numbers[1];
        }

        std::vector<bool> beacon(cell_count, false);
        for (int base : bases) beacon[base] = true;
        int size = bases.size(), targets = 0;
        for (;;) {
            // Steps from the network to each cell, and the way back.
            std::vector<int> steps(cell_count, -1), back(cell_count, -1), queue;
            for (int cell = 0; cell < cell_count; cell++)
                if (beacon[cell]) steps[cell] = 0, queue.push_back(cell);
            for (std::size_t next = 0; next < queue.size(); next++)
                for (int near : neighbours[queue[next]])
                    if (steps[near] < 0) {
                        steps[near] = steps[queue[next]] + 1;
                        back[near] = queue[next];
                        queue.push_back(near);
                    }
            int best = -1, best_cost = 1 << 20;
            for (int cell : queue) {
                if (!left[cell] || beacon[cell]) continue;
                if (kinds[cell] == 1 && turn > egg_turns) continue;
                int cost = steps[cell] - (kinds[cell] == 1 ? egg_advantage : 0);
                if (cost < best_cost) best = cell, best_cost = cost;
            }
            if (best < 0 || (targets && (size + steps[best]) * ants_per_cell > ants)) break;
            size += steps[best];
            targets++;
            for (int cell = best; !beacon[cell]; cell = back[cell]) beacon[cell] = true;
        }

        std::string commands;
        for (int cell = 0; cell < cell_count; cell++)
            if (beacon[cell]) commands += "BEACON " + std::to_string(cell) + " 1;";
        std::cout << (targets ? commands : "WAIT") << std::endl;
    }
}
