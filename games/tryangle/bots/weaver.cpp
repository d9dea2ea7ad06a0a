// Weaver: walks and strikes like Striker, with larger crowds. When it is far ahead, it spends spare units on paths: it
// adds one where two new triangles come of it, and removes one that the opponent's triangles need.
#include <algorithm>
#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

const int most_units = 40;
const int last_spawn = 180;
const int strike = 4;             // so many units on one house are worth an attack, which costs three
const int crowd = 3;              // no more units than these are fought for a corner
const int too_crowded = 3;        // where they are more, the corner counts as so many steps farther
const int stolen = 2;             // the opponent's triangles count as so many steps nearer
const int rich_adding = 35;       // with fewer units no path is added,
const int rich_removing = 30;     // with fewer none is removed,
const int superior = 2;           // and neither with fewer than so many times the opponent's
const int last_weave = 185;
const int unreachable = 99;

struct House {
    int x, y, mine, others, threat;  // threat: how many of theirs can be here next turn
    std::set<int> near;
};

struct Triangle {
    int corners[3], owner;
    bool i_may, they_may;
    bool has(int house) const { return std::count(corners, corners + 3, house) > 0; }
};

struct Weaver {
    std::vector<House> houses;
    std::vector<Triangle> triangles;
    std::vector<std::pair<int, int>> linkable;
    std::vector<std::vector<int>> steps;
    std::string commands;
    int turn = 0, count = 0, their_count = 0;

    void read_map() {
        int n, id;
        std::cin >> n;
        houses.resize(n);
        for (House& house : houses) std::cin >> id >> house.x >> house.y;
    }

    bool read_turn() {
        int n, a, b, id;
        if (!(std::cin >> a >> b)) return false;
        turn++, count = their_count = 0, commands.clear();
        for (House& house : houses) {
            std::cin >> id >> house.mine >> house.others;
            house.near.clear();
            count += house.mine, their_count += house.others;
        }
        for (std::cin >> n; n--;) {
            std::cin >> a >> b;
            houses[a].near.insert(b), houses[b].near.insert(a);
        }
        std::cin >> n;
        triangles.resize(n);
        for (Triangle& t : triangles)
            std::cin >> t.corners[0] >> t.corners[1] >> t.corners[2] >> t.owner >> t.i_may >> t.they_may;
        std::cin >> n;
        linkable.resize(n);
        for (auto& [one, other] : linkable) std::cin >> one >> other;
        for (House& house : houses) {
            house.threat = house.others;
            for (int near : house.near) house.threat += houses[near].others;
        }
        return true;
    }

    void find_ways() {
        int n = houses.size();
        steps.assign(n, std::vector<int>(n, unreachable));
        for (int start = 0; start < n; start++) {
            std::vector<int> queue{start};
            steps[start][start] = 0;
            for (std::size_t next = 0; next < queue.size(); next++)
                for (int near : houses[queue[next]].near)
                    if (steps[start][near] == unreachable) {
                        steps[start][near] = steps[start][queue[next]] + 1;
                        queue.push_back(near);
                    }
        }
    }

    void order(const std::string& name, const std::vector<int>& numbers) {
        commands += name;
        for (int number : numbers) commands += " " + std::to_string(number);
        commands += ";";
    }

    bool can_pay(const Triangle& t) const {
        auto has_unit = [&](int corner) { return houses[corner].mine > 0; };
        return t.owner == 0 && std::all_of(t.corners, t.corners + 3, has_unit);
    }

    void pay(Triangle& t) {
        for (int corner : t.corners) houses[corner].mine--;
        t.owner = -1, t.i_may = false;
    }

    void order_path(const std::string& name, Triangle& t, int from, int to) {
        std::swap(t.corners[0], *std::find(t.corners, t.corners + 3, from));
        order(name, {t.corners[0], t.corners[1], t.corners[2], to});
        pay(t);
    }

    void attack() {
        for (Triangle& t : triangles) {
            if (!can_pay(t)) continue;
            int target = t.corners[0];
            for (int corner : t.corners)
                for (int near : houses[corner].near)
                    if (houses[near].others > houses[target].others) target = near;
            if (houses[target].others < strike) continue;
            order("ATTACK", {t.corners[0], t.corners[1], t.corners[2], target});
            pay(t);
            houses[target].others = 0;
        }
    }

    bool is_left(int a, int b, int c) const {
        const House &p = houses[a], &q = houses[b], &r = houses[c];
        return (r.y - p.y) * (q.x - p.x) > (r.x - p.x) * (q.y - p.y);
    }

    bool is_empty(int a, int b, int c) const {
        for (int house = 0; house < int(houses.size()); house++) {
            bool left = is_left(house, a, b);
            if (house == a || house == b || house == c) continue;
            if (left == is_left(house, b, c) && left == is_left(house, c, a)) return false;
        }
        return true;
    }

    // At most one new path a turn, and only where the opponent is far.
    void weave() {
        if (count < rich_adding || count < superior * their_count || turn > last_weave) return;
        for (auto [one, other] : linkable) {
            int gain = 0;
            bool safe = true;
            for (int corner : houses[one].near)
                if (houses[other].near.count(corner) && is_empty(one, other, corner)) {
                    gain++;
                    safe &= houses[corner].threat == 0;
                }
            if (gain < 2 || !safe) continue;
            for (Triangle& t : triangles) {
                int from = t.has(one) ? one : t.has(other) ? other : -1;
                if (from < 0 || !can_pay(t)) continue;
                order_path("ADD_PATH", t, from, from == one ? other : one);
                return;
            }
        }
    }

    // Removes a path that more of the opponent's triangles need than others.
    void cut() {
        if (count < rich_removing || count < superior * their_count) return;
        // In levels without paths to add there are none to remove either.
        if (linkable.empty()) return;
        for (Triangle& t : triangles)
            for (int from : t.corners)
                for (int target : houses[from].near) {
                    if (t.has(target) || !can_pay(t)) continue;
                    int theirs = 0, rest = 0;
                    for (const Triangle& lost : triangles)
                        if (lost.has(from) && lost.has(target)) (lost.owner == 1 ? theirs : rest)++;
                    if (theirs <= rest) continue;
                    order_path("REMOVE_PATH", t, from, target);
                    return;
                }
    }

    void spawn() {
        for (Triangle& t : triangles) {
            if (t.owner != 0) continue;
            auto by_threat = [&](int a, int b) { return houses[a].threat < houses[b].threat; };
            bool lost = std::all_of(t.corners, t.corners + 3, [&](int c) { return houses[c].threat > houses[c].mine; });
            if (!lost && (count >= most_units || turn > last_spawn)) continue;
            std::swap(t.corners[0], *std::max_element(t.corners, t.corners + 3, by_threat));
            order("SPAWN", {t.corners[0], t.corners[1], t.corners[2]});
            count++;
        }
    }

    // Again and again the triangle that takes the fewest steps, with the nearest units.
    void walk() {
        std::vector<int> walkers, sent(houses.size(), 0);
        for (int house = 0; house < int(houses.size()); house++)
            walkers.insert(walkers.end(), houses[house].mine, house);
        std::vector<const Triangle*> wanted;
        for (const Triangle& t : triangles)
            if (t.owner != 0 && t.i_may) wanted.push_back(&t);
        while (!wanted.empty()) {
            int least = unreachable;
            std::size_t best = 0;
            std::vector<std::pair<int, int>> best_walks;
            for (std::size_t i = 0; i < wanted.size(); i++) {
                std::vector<std::pair<int, int>> walks;
                int cost = cost_of(*wanted[i], walkers, sent, walks);
                if (cost < least) least = cost, best = i, best_walks = walks;
            }
            if (least == unreachable) break;
            wanted.erase(wanted.begin() + best);
            for (auto [from, to] : best_walks) {
                walkers.erase(std::find(walkers.begin(), walkers.end(), from));
                sent[to]++;
                if (from != to) order("MOVE", {from, to, 1});
            }
        }
        hunt(walkers);
    }

    // Units with nothing to do go for the opponent's. That also frees the triangles that were used under their feet.
    void hunt(const std::vector<int>& walkers) {
        for (int unit : walkers) {
            int prey = -1;
            for (int house = 0; house < int(houses.size()); house++)
                if (houses[house].others > 0 && (prey < 0 || steps[unit][house] < steps[unit][prey])) prey = house;
            if (prey >= 0 && prey != unit && steps[unit][prey] < unreachable) order("MOVE", {unit, prey, 1});
        }
    }

    // The steps that capturing a triangle takes, and who would walk where.
    int cost_of(const Triangle& t, std::vector<int> walkers, const std::vector<int>& sent,
                std::vector<std::pair<int, int>>& walks) {
        int cost = t.owner == 1 ? -stolen : 0;
        for (int corner : t.corners) {
            if (houses[corner].others > crowd) cost += too_crowded;
            for (int need = std::min(houses[corner].others, crowd) + 1 - sent[corner]; need > 0; need--) {
                if (walkers.empty()) return unreachable;
                auto nearer = [&](int a, int b) { return steps[corner][a] < steps[corner][b]; };
                auto nearest = std::min_element(walkers.begin(), walkers.end(), nearer);
                cost += steps[corner][*nearest];
                walks.push_back({*nearest, corner});
                walkers.erase(nearest);
            }
        }
        return cost;
    }
};

int main() {
    Weaver weaver;
    weaver.read_map();
    while (weaver.read_turn()) {
        weaver.find_ways();
        weaver.attack();
        weaver.cut();
        weaver.weave();
        weaver.spawn();
        weaver.walk();
        std::cout << (weaver.commands.empty() ? "WAIT" : weaver.commands) << std::endl;
    }
}
