// Augur: plays a simple player like Weaver six turns ahead against another one like it, changes that player's likes and
// dislikes of triangles at random, a few dozen times a turn, and does what the most successful one does now.
// It does not see what Weaver's habits cannot express: units that wait, walks with several goals, paths added or cut.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

using Mask = std::uint64_t;  // a set of houses
const int MAX_HOUSES = 50, MAX_TRIANGLES = 120, LAST_TURN = 200, FAR = 99;
const int HORIZON = 6;
const int TRIES = 24;

static Mask bit(int house) { return Mask(1) << house; }
template <class Visit> static void each(Mask houses, Visit visit) {
    for (; houses; houses &= houses - 1) visit(std::countr_zero(houses));
}

// --- The map ---------------------------------------------------------------------------------------------------------

int houses, turn_number = 0;
Mask paths[MAX_HOUSES];
int steps[MAX_HOUSES][MAX_HOUSES], hop[MAX_HOUSES][MAX_HOUSES];  // [from][to]
std::vector<int> nearest_first[MAX_HOUSES];                      // the houses that can reach a house

static void find_ways() {
    for (int to = 0; to < houses; to++) {
        for (int from = 0; from < houses; from++) steps[from][to] = FAR;
        steps[to][to] = 0, hop[to][to] = to;
        std::vector<int>& queue = nearest_first[to] = {to};
        for (std::size_t next = 0; next < queue.size(); next++)
            each(paths[queue[next]], [&](int near) {
                if (steps[near][to] < FAR) return;
                steps[near][to] = steps[queue[next]][to] + 1, hop[near][to] = queue[next];
                queue.push_back(near);
            });
    }
}

// --- The rules, without new paths ------------------------------------------------------------------------------------

struct Triangle {
    std::array<int, 3> corners;
    int owner;  // 0 this bot, 1 its opponent, -1 nobody
    bool may[2];
    Mask mask() const { return bit(corners[0]) | bit(corners[1]) | bit(corners[2]); }
};

struct Order {
    char kind;  // 'A'ttack with a triangle, 'S'pawn with one, or 'M'ove a unit
    int triangle, from, to;
};

struct State {
    int score[2], count, units[2][MAX_HOUSES];
    Triangle triangles[MAX_TRIANGLES];

    void turn(const std::vector<Order> orders[2]) {
        for (int p = 0; p < 2; p++)
            for (const Order& order : orders[p])
                if (order.kind == 'A') {
                    for (int corner : use(order, p).corners) units[p][corner] = std::max(0, units[p][corner] - 1);
                    units[1 - p][order.to] = 0;
                }
        for (int p = 0; p < 2; p++) {
            int left[MAX_HOUSES];
            std::copy(units[p], units[p] + houses, left);
            for (const Order& order : orders[p])
                if (order.kind == 'M' && left[order.from]-- > 0) units[p][order.from]--, units[p][order.to]++;
            for (const Order& order : orders[p])
                if (order.kind == 'S') use(order, p), units[p][order.to]++;
        }
        settle();
    }

    Triangle& use(const Order& order, int player) {
        Triangle& t = triangles[order.triangle];
        t.owner = -1, t.may[player] = false;
        return t;
    }

    void settle() {
        Mask lead[2], present[2], surrounded[2] = {0, 0}, owned[2];
        look(lead, present);
        free_triangles(present);
        for (int house = 0; house < houses; house++)
            for (int p = 0; p < 2; p++)
                if (paths[house] && !(paths[house] & ~lead[1 - p])) units[p][house] = 0;
        look(lead, present);
        free_triangles(present);
        for (int house = 0; house < houses; house++)
            for (int p = 0; p < 2; p++)
                if (paths[house] && !(paths[house] & ~lead[p])) surrounded[p] |= bit(house);
        for (int p = 0; p < 2; p++) owned[p] = surrounded[p] | (lead[p] & ~surrounded[1 - p]);
        for (Triangle* t = triangles; t < triangles + count; t++) {
            for (int p = 0; p < 2; p++)
                if (t->may[p] && !(t->mask() & ~owned[p])) t->owner = p, t->may[p] = false, t->may[1 - p] = true;
            if (t->owner >= 0) score[t->owner]++;
        }
    }

    void look(Mask lead[2], Mask present[2]) const {
        lead[0] = lead[1] = present[0] = present[1] = 0;
        for (int house = 0; house < houses; house++)
            for (int p = 0; p < 2; p++) {
                lead[p] |= Mask(units[p][house] > units[1 - p][house]) << house;
                present[p] |= Mask(units[p][house] > 0) << house;
            }
    }

    // Whoever has left the corners of a triangle that it used may capture it again.
    void free_triangles(const Mask present[2]) {
        for (Triangle* t = triangles; t < triangles + count; t++)
            for (int p = 0; p < 2; p++)
                if (t->owner < 0 && !(t->mask() & present[p])) t->may[p] = true;
    }

    // In points of this bot.
    double value() const {
        int held[2] = {0, 0}, there[2] = {0, 0}, rest = std::max(0, LAST_TURN - turn_number - HORIZON);
        for (const Triangle* t = triangles; t < triangles + count; t++)
            if (t->owner >= 0) held[t->owner]++;
        for (int p = 0; p < 2; p++) {
            if (held[p] >= 0.8 * count) return p ? -1e6 : 1e6;
            for (int house = 0; house < houses; house++) there[p] += units[p][house];
        }
        return score[0] - score[1] + std::min(10, rest) * (held[0] - held[1]) +
               std::min(20.0, 0.3 * rest) * (there[0] - there[1]);
    }
};

// --- A simple player -------------------------------------------------------------------------------------------------

struct Style {
    int enough_units = 40, last_spawn = 180;
    int strike = 4;                  // so many units on one house are worth an attack
    int crowd = 3, too_crowded = 3;  // no more than so many are fought; where more are, it is so many steps farther
    int stolen = 2;                  // the opponent's triangles are so many steps nearer
    int farther[MAX_TRIANGLES] = {};  // so many steps, by dislike
    bool keeps[MAX_TRIANGLES] = {};   // triangles that are not spent on units
};

struct Player {
    const State& state;
    int me;
    const Style& style;
    int mine[MAX_HOUSES], others[MAX_HOUSES], danger[MAX_HOUSES], sent[MAX_HOUSES] = {};
    bool done[MAX_TRIANGLES] = {};
    std::vector<Order> orders;

    Player(const State& now, int player, const Style& how) : state(now), me(player), style(how) {
        std::copy(state.units[me], state.units[me] + houses, mine);
        std::copy(state.units[1 - me], state.units[1 - me] + houses, others);
        for (int house = 0; house < houses; house++) {
            danger[house] = others[house];
            each(paths[house], [&](int near) { danger[house] += others[near]; });
        }
        use_triangles();
        while (send_to_a_triangle()) {}
        hunt();
    }

    void use_triangles() {
        int count = 0;
        for (int house = 0; house < houses; house++) count += mine[house];
        for (int i = 0; i < state.count; i++) {
            const Triangle& t = state.triangles[i];
            if (t.owner != me) continue;
            auto all = [&](auto holds) { return std::all_of(t.corners.begin(), t.corners.end(), holds); };
            int target = t.corners[0];
            for (int corner : t.corners)
                each(paths[corner], [&](int near) { if (others[near] > others[target]) target = near; });
            bool lost = all([&](int corner) { return danger[corner] > mine[corner]; });
            if (others[target] >= style.strike && all([&](int corner) { return mine[corner] > 0; })) {
                orders.push_back({'A', i, 0, target});
                others[target] = 0;
                for (int corner : t.corners) mine[corner]--, count--;
            } else if (lost || (count < style.enough_units && turn_number < style.last_spawn && !style.keeps[i])) {
                auto safer = [&](int a, int b) { return danger[a] < danger[b]; };
                orders.push_back({'S', i, 0, *std::max_element(t.corners.begin(), t.corners.end(), safer)});
                count++;
            }
        }
    }

    // Sends the nearest units to the triangle that takes them the fewest steps; false if there is none.
    bool send_to_a_triangle() {
        int least = FAR, chosen = -1;
        std::vector<std::pair<int, int>> walks, best;
        for (int i = 0; i < state.count; i++) {
            const Triangle& t = state.triangles[i];
            if (t.owner == me || !t.may[me] || done[i]) continue;
            int cost = style.farther[i] - (t.owner == 1 - me ? style.stolen : 0);
            walks.clear();
            for (int corner : t.corners) {
                if (others[corner] > style.crowd) cost += style.too_crowded;
                int need = std::min(others[corner], style.crowd) + 1 - sent[corner];
                for (int unit : nearest_first[corner]) {
                    if (need <= 0 || cost >= least) break;
                    for (; need > 0 && mine[unit] > 0 && cost < least; need--)
                        mine[unit]--, walks.push_back({unit, corner}), cost += steps[unit][corner];
                }
                if (need > 0) cost = FAR;
            }
            for (auto [unit, corner] : walks) mine[unit]++;
            if (cost < least) least = cost, chosen = i, best = walks;
        }
        if (chosen < 0) return false;
        done[chosen] = true;
        for (auto [unit, corner] : best) sent[corner]++, send(unit, corner);
        return true;
    }

    // Units with nothing to do go for the opponent's.
    void hunt() {
        for (int house = 0; house < houses; house++) {
            int prey = -1;
            for (int other : nearest_first[house])
                if (prey < 0 && others[other]) prey = other;
            while (prey >= 0 && mine[house] > 0) send(house, prey);
        }
    }

    void send(int unit, int to) {
        mine[unit]--;
        if (unit != to) orders.push_back({'M', 0, unit, hop[unit][to]});
    }
};

// --- The search ------------------------------------------------------------------------------------------------------

// Always the same numbers, so that the same input gets the same replies.
static int below(int n) {
    static std::uint64_t state = 88172645463325252ull;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return int((state >> 33) * n >> 31);
}

static double look_ahead(const State& now, const Style& style) {
    static const Style plain;
    State state = now;
    for (int ahead = 0; ahead < HORIZON && turn_number + ahead < LAST_TURN; ahead++) {
        std::vector<Order> orders[2] = {Player(state, 0, style).orders, Player(state, 1, plain).orders};
        state.turn(orders);
    }
    return state.value();
}

static void change(Style& style, int triangles) {
    int what = below(10), which = below(triangles);
    if (what < 6) style.farther[which] = below(3) ? below(10) - 4 : 0;
    else if (what < 8) style.keeps[which] ^= true;
    else if (what < 9) style.crowd = 1 + below(4);
    else style.strike = 3 + below(3);
}

static Style choose(const State& now, const Style& last) {
    Style best;
    double most = look_ahead(now, best), with_last = look_ahead(now, last);
    if (with_last >= most) best = last, most = with_last;
    for (int i = 0; i < TRIES; i++) {
        Style style = best;
        for (int changes = 1 + below(3); changes--;) change(style, now.count);
        if (double found = look_ahead(now, style); found >= most) best = style, most = found;
    }
    return best;
}

// --- Talking to the game ---------------------------------------------------------------------------------------------

static bool read(State& state) {
    if (!(std::cin >> state.score[0] >> state.score[1])) return false;
    for (int house = 0, id; house < houses; house++) std::cin >> id >> state.units[0][house] >> state.units[1][house];
    int n, a, b;
    std::fill(paths, paths + houses, 0);
    for (std::cin >> n; n--;) std::cin >> a >> b, paths[a] |= bit(b), paths[b] |= bit(a);
    std::cin >> state.count;
    for (Triangle* t = state.triangles; t < state.triangles + state.count; t++)
        std::cin >> t->corners[0] >> t->corners[1] >> t->corners[2] >> t->owner >> t->may[0] >> t->may[1];
    for (std::cin >> n; n--;) std::cin >> a >> b;
    turn_number++;
    return true;
}

static std::string text_of(const State& now, const Order& order) {
    if (order.kind == 'M') return "MOVE " + std::to_string(order.from) + " " + std::to_string(order.to) + " 1;";
    std::array<int, 3> corners = now.triangles[order.triangle].corners;
    if (order.kind == 'S') std::swap(corners[0], *std::find(corners.begin(), corners.end(), order.to));
    std::string text = order.kind == 'S' ? "SPAWN" : "ATTACK";
    for (int corner : corners) text += " " + std::to_string(corner);
    return text + (order.kind == 'S' ? ";" : " " + std::to_string(order.to) + ";");
}

int main() {
    std::ios::sync_with_stdio(false);
    int id, x, y;
    std::cin >> houses;
    for (int house = 0; house < houses; house++) std::cin >> id >> x >> y;
    State now{};
    Style style;
    while (read(now)) {
        find_ways();
        style = choose(now, style);
        std::string text;
        for (const Order& order : Player(now, 0, style).orders) text += text_of(now, order);
        std::cout << (text.empty() ? "WAIT" : text) << std::endl;
    }
}
