// A first Ants bot: a line of beacons from its base to the three nearest resources. Read, change, win.
#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

// The numbers of the next line. None at the end of the input.
std::vector<int> read_numbers() {
    std::string line;
    std::getline(std::cin, line);
    std::istringstream words(line);
    std::vector<int> numbers;
    for (int number; words >> number;) numbers.push_back(number);
    return numbers;
}

int main() {
    // The map, once.
    int cell_count = read_numbers().at(0);
    std::vector<int> kinds;                    // 0 nothing, 1 eggs, 2 crystal
    std::vector<std::vector<int>> neighbours;  // of each cell: up to six other cells
    for (int cell = 0; cell < cell_count; cell++) {
        std::vector<int> numbers = read_numbers();  // kind, amount, and one number for each direction
        kinds.push_back(numbers[0]);
        neighbours.push_back({});
        for (int way = 2; way < 8; way++)
            if (numbers[way] != -1) neighbours.back().push_back(numbers[way]);
    }
    int base_count = read_numbers().at(0);
    std::vector<int> my_bases = read_numbers();
    std::vector<int> opponent_bases = read_numbers();
    (void)base_count;

    // Steps from my first base to each cell.
    std::vector<int> distances(cell_count, -1), queue{my_bases[0]};
    distances[my_bases[0]] = 0;
    for (std::size_t next = 0; next < queue.size(); next++)
        for (int near : neighbours[queue[next]])
            if (distances[near] < 0) {
                distances[near] = distances[queue[next]] + 1;
                queue.push_back(near);
            }

    for (;;) {
        std::vector<int> numbers = read_numbers();
        if (numbers.empty()) return 0;
        int my_points = 0, opponent_points = 0;
        if (numbers.size() == 2) {  // only in the full game
            my_points = numbers[0], opponent_points = numbers[1];
            numbers = read_numbers();
        }
        (void)my_points, (void)opponent_points;
        std::vector<int> resources, my_ants, opponent_ants;
        for (int cell = 0; cell < cell_count; cell++) {
            if (cell > 0) numbers = read_numbers();
            resources.push_back(numbers[0]);
            my_ants.push_back(numbers[1]);
            opponent_ants.push_back(numbers[2]);
        }

        std::vector<int> targets;
        for (int cell = 0; cell < cell_count; cell++)
            if (resources[cell] > 0) targets.push_back(cell);
        std::stable_sort(targets.begin(), targets.end(), [&](int a, int b) { return distances[a] < distances[b]; });
        if (targets.size() > 3) targets.resize(3);
        std::string commands;
        for (int target : targets)
            commands += "LINE " + std::to_string(my_bases[0]) + " " + std::to_string(target) + " 1;";
        std::cout << (commands.empty() ? "WAIT" : commands) << std::endl;

        // Where to start: ants are spread over all beacons, so long lines are thin ones, and a chain harvests no more
        // than its thinnest cell. Take eggs first while there are few ants; then let one line begin where another ends.
    }
}
