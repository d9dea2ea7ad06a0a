// A first TryAngle Catch bot: three units walk to the nearest triangle, again and again. Read, change, win.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

struct House {
    int x, y, mine, others;  // units
};
struct Path {
    int from, to;
};
struct Triangle {
    int a, b, c, owner;    // owner: 0 me, 1 my opponent, -1 nobody
    bool i_may, they_may;  // capture it
};

int main() {
    // The map, once.
    int house_count, id, count;
    std::cin >> house_count;
    std::vector<House> houses(house_count);
    for (House& house : houses) std::cin >> id >> house.x >> house.y;

    // The square of the straight way between two houses.
    auto distance = [&](int one, int other) {
        int x = houses[one].x - houses[other].x, y = houses[one].y - houses[other].y;
        return x * x + y * y;
    };

    int my_score, opponent_score;
    while (std::cin >> my_score >> opponent_score) {
        for (House& house : houses) std::cin >> id >> house.mine >> house.others;
        std::cin >> count;
        std::vector<Path> paths(count);
        for (Path& path : paths) std::cin >> path.from >> path.to;
        std::cin >> count;
        std::vector<Triangle> triangles(count);
        for (Triangle& t : triangles) std::cin >> t.a >> t.b >> t.c >> t.owner >> t.i_may >> t.they_may;
        std::cin >> count;
        std::vector<Path> linkable(count);  // paths that could be added
        for (Path& path : linkable) std::cin >> path.from >> path.to;

        std::string commands;
        std::vector<int> units;  // the house of each unit
        for (int house = 0; house < house_count; house++) units.insert(units.end(), houses[house].mine, house);

        // A new unit, while there are few.
        auto mine = std::find_if(triangles.begin(), triangles.end(), [](const Triangle& t) { return t.owner == 0; });
        if (mine != triangles.end() && units.size() < 6)
            commands += "SPAWN " + std::to_string(mine->a) + " " + std::to_string(mine->b) + " " +
                        std::to_string(mine->c) + ";";

        // The nearest triangle to capture; to each of its corners goes the nearest unit.
        auto nearest = [&](int corner) {
            auto nearer = [&](int one, int other) { return distance(one, corner) < distance(other, corner); };
            return std::min_element(units.begin(), units.end(), nearer);
        };
        const Triangle* target = nullptr;
        int least = 0;
        for (const Triangle& t : triangles) {
            if (t.owner == 0 || !t.i_may || units.empty()) continue;
            int sum = 0;
            for (int corner : {t.a, t.b, t.c}) sum += distance(*nearest(corner), corner);
            if (!target || sum < least) target = &t, least = sum;
        }
        if (target)
            for (int corner : {target->a, target->b, target->c}) {
                if (units.empty()) break;
                int unit = *nearest(corner);
                units.erase(nearest(corner));
                if (unit != corner)
                    commands += "MOVE " + std::to_string(unit) + " " + std::to_string(corner) + " 1;";
            }
        std::cout << (commands.empty() ? "WAIT" : commands) << std::endl;

        // Where to start: more than three units never walk; let them capture other triangles at the same time. A
        // straight way is not always the shortest one along the paths. And look where the opponent stands first.
    }
}
