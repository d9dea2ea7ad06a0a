// A first Tron bot: it rides to a random free cell. Read, change, win.
#include <iostream>
#include <random>
#include <string>
#include <vector>

const int WIDTH = 30, HEIGHT = 20, NOBODY = -1;
const std::string NAMES[] = {"UP", "DOWN", "LEFT", "RIGHT"};
const int DX[] = {0, 0, -1, 1}, DY[] = {-1, 1, 0, 0};

int main() {
    std::mt19937 random(std::random_device{}());
    std::vector<std::vector<int>> trails(HEIGHT, std::vector<int>(WIDTH, NOBODY));  // whose trail is there

    int player_count, me;
    while (std::cin >> player_count >> me) {
        int my_x = 0, my_y = 0;
        for (int player = 0; player < player_count; player++) {
            int x0, y0, x, y;
            std::cin >> x0 >> y0 >> x >> y;  // where its trail begins, and where it is now
            if (x == -1) {                   // it is out, and its trail is gone
                for (auto& row : trails)
                    for (int& owner : row)
                        if (owner == player) owner = NOBODY;
            } else {
                trails[y0][x0] = trails[y][x] = player;
            }
            if (player == me) my_x = x, my_y = y;
        }

        std::vector<int> ways;
        for (int way = 0; way < 4; way++) {
            int x = my_x + DX[way], y = my_y + DY[way];
            if (0 <= x && x < WIDTH && 0 <= y && y < HEIGHT && trails[y][x] == NOBODY) ways.push_back(way);
        }
        std::cout << (ways.empty() ? "UP" : NAMES[ways[random() % ways.size()]]) << std::endl;

        // Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from
        // there, and take the way with the most.
    }
}
