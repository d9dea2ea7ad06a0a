// A first Yavalath bot: it plays a random empty cell. Read, change, win.
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

int main() {
    std::mt19937 random(std::random_device{}());
    int my_id;
    std::cin >> my_id;  // 1 if you begin, 2 if your opponent does

    int row_count;
    while (std::cin >> row_count) {  // always 9
        std::vector<std::string> rows(row_count);  // 0 empty, 1 your stone, 2 your opponent's
        for (std::string& row : rows) std::cin >> row;
        int last_x, last_y;  // your opponent's last move; -1 -1 if you begin
        std::cin >> last_x >> last_y;

        std::vector<std::pair<int, int>> empty_cells;
        for (int y = 0; y < row_count; y++)
            for (int x = 0; x < static_cast<int>(rows[y].size()); x++)
                if (rows[y][x] == '0') empty_cells.push_back({x, y});
        auto [x, y] = empty_cells[random() % empty_cells.size()];
        std::cout << x << ' ' << y << " hello" << std::endl;

        // Where to start: a random cell may complete a line of 3, and that loses. Look along the three directions
        // from each empty cell, leave out the cells that make a 3, and take the one that makes a 4.
    }
}
