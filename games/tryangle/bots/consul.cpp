// Consul: Triumvir with fewer thoughts. It plays plans some turns ahead with the exact rules of the game, begins with
// what plain players would do, and tries only 16 small changes a turn. It never asks how its opponent would answer.
// The source is Triumvir's, with other numbers of tries.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

using Mask = std::uint64_t;  // a set of houses
const int MAX_HOUSES = 50, MAX_TRIANGLES = 120, LAST_TURN = 200, LONGEST_SQUARED = 400 * 400;

static Mask bit(int house) { return Mask(1) << house; }
template <class Visit> static void each(Mask houses, Visit visit) {
    for (; houses; houses &= houses - 1) visit(std::countr_zero(houses));
}

// --- The map ---------------------------------------------------------------------------------------------------------

struct Map {
    int n = 0, x[MAX_HOUSES], y[MAX_HOUSES];
    std::vector<signed char> known;  // of three houses: 1 nothing inside, 0 something, -1 not looked at

    int squared(int a, int b) const { return (x[a] - x[b]) * (x[a] - x[b]) + (y[a] - y[b]) * (y[a] - y[b]); }
    bool left(int a, int b, int c) const { return (y[c] - y[a]) * (x[b] - x[a]) > (y[b] - y[a]) * (x[c] - x[a]); }
    bool cross(int a, int b, int c, int d) const {
        if (a == b || a == c || a == d || b == c || b == d) return false;
        return left(a, c, d) != left(b, c, d) && left(a, b, c) != left(a, b, d);
    }
    bool empty(int i, int j, int k) {
        signed char& answer = known[(i * MAX_HOUSES + j) * MAX_HOUSES + k];
        if (answer < 0) {
            answer = 1;
            for (int m = 0; m < n; m++) {
                bool side = left(m, i, j);
                if (m != i && m != j && m != k && side == left(m, j, k) && side == left(m, k, i)) answer = 0;
            }
        }
        return answer;
    }
} map;

// --- The rules -------------------------------------------------------------------------------------------------------

const int MOST_AHEAD = 10;
using Goals = std::array<std::uint8_t, MOST_AHEAD>;  // where a unit walks to, turn by turn

enum Kind : std::int8_t { ATTACK, SPAWN, ADD_PATH, REMOVE_PATH };

struct Triangle {
    std::uint8_t a, b, c;
    std::int8_t owner = -1, owner_before = -1;
    bool may[2] = {true, true}, gone = false;
    bool has(int house) const { return house == a || house == b || house == c; }
    Mask corners() const { return bit(a) | bit(b) | bit(c); }
};

struct Move {
    int from, to, amount;
};

struct Action {  // something that a triangle is used for
    Kind kind;
    std::uint8_t a, b, c;  // the triangle; a SPAWN is on a, a path begins at a
    std::uint8_t target;   // an ATTACK's house, a path's other end
    std::int8_t turn;      // from now on
    Goals goals;           // of a unit that is spawned
};

struct Orders {
    std::vector<Move> moves;
    std::vector<Action> actions;
    void clear() { moves.clear(), actions.clear(); }
};

// All of the game but for one oddity: a path from a house to itself.
struct State {
    int score[2] = {0, 0}, count = 0;
    bool losses = false;  // whether a unit was lost in the last turn
    std::int16_t units[2][MAX_HOUSES] = {}, rested[2][MAX_HOUSES] = {};  // rested: can still move or pay this turn
    Mask paths[MAX_HOUSES] = {};
    Triangle triangles[MAX_TRIANGLES];
    Triangle* begin() { return triangles; }
    Triangle* end() { return triangles + count; }

    Triangle* find(const Action& action) {
        Mask corners = bit(action.a) | bit(action.b) | bit(action.c);
        for (Triangle& t : *this)
            if (t.corners() == corners) return &t;
        return nullptr;
    }

    bool can_connect(int a, int b) const {
        if (map.squared(a, b) > LONGEST_SQUARED) return false;
        for (int c = 0; c < map.n; c++) {
            bool crossed = false;
            each(paths[c] >> c >> 1 << c << 1, [&](int d) { crossed |= map.cross(a, b, c, d); });
            if (crossed) return false;
        }
        return true;
    }

    bool valid(const Action& action, int player, const Triangle* t) const {
        if (!t || t->owner != player || t->owner_before != player) return false;
        if (action.kind == SPAWN) return true;
        if (rested[player][t->a] < 1 || rested[player][t->b] < 1 || rested[player][t->c] < 1) return false;
        if (action.kind == ATTACK) return paths[action.target] & t->corners();
        bool joined = paths[action.a] & bit(action.target);
        if (action.kind == REMOVE_PATH) return joined && !t->has(action.target);
        return !joined && can_connect(action.a, action.target);
    }

    void use(Triangle& t, int player, int cost) {
        for (int corner : {t.a, t.b, t.c}) {
            int paid = std::min<int>(cost, units[player][corner]);
            units[player][corner] -= paid, rested[player][corner] -= paid;
            losses |= paid > 0;
        }
        t.may[player] = false, t.owner = -1;
    }

    void add_path(int a, int b) {
        if (paths[a] & bit(b)) return;
        paths[a] |= bit(b), paths[b] |= bit(a);
        each(paths[a] & paths[b] & ~bit(a) & ~bit(b), [&](int c) {
            int i = std::min({a, b, c}), k = std::max({a, b, c}), j = a + b + c - i - k;
            if (!map.empty(i, j, k) || count == MAX_TRIANGLES) return;
            Triangle t{};
            t.a = i, t.b = j, t.c = k;
            triangles[count++] = t;
        });
    }

    void remove_path(int a, int b) {
        paths[a] &= ~bit(b), paths[b] &= ~bit(a);
        for (Triangle& t : *this) t.gone |= t.has(a) && t.has(b);
    }

    void carry_out(const Action& action, int player, Triangle& t) {
        if (action.kind == ATTACK) {
            use(t, player, 1);
            losses |= units[1 - player][action.target] > 0;
            units[1 - player][action.target] = rested[1 - player][action.target] = 0;
        } else if (action.kind == SPAWN) {
            use(t, player, 0);
            units[player][action.a]++;
        } else if (action.kind == ADD_PATH) {
            if (!can_connect(action.a, action.target)) return;
            use(t, player, 1);
            add_path(action.a, action.target);
        } else {
            use(t, player, 1);
            remove_path(action.a, action.target);
        }
    }

    // Attacks, new paths, or paths taken away: one of each player at a time, as long as there are any.
    void in_turns(Kind kind, const Orders orders[2]) {
        std::size_t next[2] = {0, 0};
        for (;;) {
            const Action* picked[2] = {nullptr, nullptr};
            Triangle* with[2];
            for (int p = 0; p < 2; p++)
                for (; next[p] < orders[p].actions.size() && !picked[p]; next[p]++) {
                    const Action& action = orders[p].actions[next[p]];
                    if (action.kind == kind && valid(action, p, with[p] = find(action))) picked[p] = &action;
                }
            if (!picked[0] && !picked[1]) return;
            auto length = [&](int p) { return map.squared(picked[p]->a, picked[p]->target); };
            int first = kind == ADD_PATH && picked[0] && picked[1] && length(1) < length(0);
            for (int p : {first, 1 - first})
                if (picked[p]) carry_out(*picked[p], p, *with[p]);
        }
    }

    void turn(const Orders orders[2]) {
        losses = false;
        in_turns(ATTACK, orders);
        for (int p = 0; p < 2; p++)
            for (const Move& move : orders[p].moves) {
                int amount = std::min<int>(move.amount, rested[p][move.from]);
                units[p][move.from] -= amount, rested[p][move.from] -= amount, units[p][move.to] += amount;
            }
        for (int p = 0; p < 2; p++)
            for (const Action& action : orders[p].actions)
                if (action.kind == SPAWN)
                    if (Triangle* t = find(action); valid(action, p, t)) carry_out(action, p, *t);
        in_turns(ADD_PATH, orders);
        in_turns(REMOVE_PATH, orders);
        count = std::remove_if(begin(), end(), [](const Triangle& t) { return t.gone; }) - begin();
        settle();
    }

    void settle() {
        Mask lead[2], present[2];
        look(lead, present);
        refresh(present);
        bool killed = false;
        for (int p = 0; p < 2; p++)
            each(present[p], [&](int house) {
                if (paths[house] && !(paths[house] & ~lead[1 - p])) units[p][house] = 0, killed = true;
            });
        if (killed) losses = true, look(lead, present), refresh(present);
        Mask surrounded[2] = {0, 0};
        for (int house = 0; house < map.n; house++)
            for (int p = 0; p < 2; p++)
                if (paths[house] && !(paths[house] & ~lead[p])) surrounded[p] |= bit(house);
        Mask owned[2] = {surrounded[0] | (lead[0] & ~surrounded[1]), surrounded[1] | (lead[1] & ~surrounded[0])};
        while (capture(owned)) refresh(present);
        for (Triangle& t : *this) {
            if (t.owner >= 0) score[t.owner]++;
            t.owner_before = t.owner;
        }
        std::copy(&units[0][0], &units[0][0] + 2 * MAX_HOUSES, &rested[0][0]);
    }

    void look(Mask lead[2], Mask present[2]) const {
        lead[0] = lead[1] = present[0] = present[1] = 0;
        for (int house = 0; house < map.n; house++) {
            int mine = units[0][house], others = units[1][house];
            lead[0] |= Mask(mine > others) << house, lead[1] |= Mask(others > mine) << house;
            present[0] |= Mask(mine > 0) << house, present[1] |= Mask(others > 0) << house;
        }
    }

    void refresh(const Mask present[2]) {
        for (Triangle& t : *this)
            for (int p = 0; p < 2; p++)
                if (t.owner >= 0) t.may[p] = t.owner != p;
                else if (!(t.corners() & present[p])) t.may[p] = true;
    }

    bool capture(const Mask owned[2]) {
        bool changed = false;
        for (Triangle& t : *this)
            for (int p = 0; p < 2; p++)
                if (t.may[p] && !(t.corners() & ~owned[p])) changed |= t.owner != p, t.owner = p;
        return changed;
    }
};

// --- Plans -----------------------------------------------------------------------------------------------------------

const int HORIZON = 6;
const int MAX_UNITS = 60;  // of a side; more stay where they are
const int OWN_TRIES = 16, OPPONENT_TRIES = 0;
const double CPU_S = 0.030;  // no new try after so much time; the tries are far quicker, as a rule

const double TRIANGLE_WORTH = 10;      // points, for a triangle that is held when the plan ends
const double UNIT_WORTH = 20;          // points, for a unit
const double UNIT_WORTH_A_TURN = 0.3;  // but no more than this for each turn that is left then
const double STEP_WORTH = 0.3;         // points, for a step nearer to a triangle that is not yet held
const int FAR = 5;                     // steps; beyond them all is equally far

// What one unit does. Units are only counted in the game; here each has a walk of its own.
struct Walk {
    std::uint8_t at;
    Goals goals;
    std::int16_t id = 0;  // its place in the plan's walks; ~i if the plan's action i makes the unit
};

struct Plan {
    std::vector<Walk> walks;
    std::vector<Action> actions;
};

// Always the same numbers, so that the same input gets the same replies.
struct Random {
    std::uint64_t state = 88172645463325252ull;
    int below(int n) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        return int((state >> 33) * n >> 31);
    }
    bool one_in(int n) { return below(n) == 0; }
} chance;

int turn_number = 0, horizon = HORIZON;
bool with_paths = false;  // whether paths can be added and removed at this level

std::uint8_t hop[MAX_HOUSES][MAX_HOUSES], steps[MAX_HOUSES][MAX_HOUSES];  // [from][to]
Mask within[MAX_HOUSES][FAR];  // the houses at most so many steps away

static void find_ways(const State& state) {
    for (int to = 0; to < map.n; to++) {
        for (int from = 0; from < map.n; from++) steps[from][to] = 99, hop[from][to] = from;
        steps[to][to] = 0;
        std::vector<int> queue{to};
        for (std::size_t next = 0; next < queue.size(); next++)
            each(state.paths[queue[next]], [&](int near) {
                if (steps[near][to] < 99) return;
                steps[near][to] = steps[queue[next]][to] + 1;
                hop[near][to] = queue[next];
                queue.push_back(near);
            });
        for (int most = 0; most < FAR; most++) {
            within[to][most] = 0;
            for (int from = 0; from < map.n; from++)
                if (steps[from][to] <= most) within[to][most] |= bit(from);
        }
    }
}

static Goals stay(int house) {
    Goals goals;
    goals.fill(house);
    return goals;
}

static int next_of(const Walk& walk, int turn) { return hop[walk.at][walk.goals[turn]]; }

static void orders_of(const Plan& plan, const std::vector<Walk>& walks, int turn, const State& state, Orders& orders) {
    orders.clear();
    for (const Walk& walk : walks) {
        int to = next_of(walk, turn);
        if (to != walk.at && (state.paths[walk.at] & bit(to))) orders.moves.push_back({walk.at, to, 1});
    }
    for (const Action& action : plan.actions)
        if (action.turn == turn) orders.actions.push_back(action);
}

// What a state is worth at the end of the plans, in points of side 0.
static double value(const State& state) {
    int triangles[2] = {0, 0}, units[2] = {0, 0}, far[2] = {0, 0};
    Mask wanted[2] = {0, 0};
    for (int i = 0; i < state.count; i++) {
        const Triangle& t = state.triangles[i];
        if (t.owner >= 0) triangles[t.owner]++;
        for (int p = 0; p < 2; p++)
            if (t.owner != p) wanted[p] |= t.corners();
    }
    int rest = LAST_TURN - turn_number - horizon;
    for (int p = 0; p < 2; p++) {
        if (triangles[p] >= 0.8 * state.count) return p ? -1e6 : 1e6;
        for (int house = 0; house < map.n; house++)
            if (int here = state.units[p][house]) {
                units[p] += here;
                int steps = 0;
                while (steps < FAR && !(within[house][steps] & wanted[p])) steps++;
                far[p] += steps * here;
            }
    }
    double triangle_worth = std::min<double>(rest, TRIANGLE_WORTH);
    double unit_worth = std::min(UNIT_WORTH, rest * UNIT_WORTH_A_TURN);
    return state.score[0] - state.score[1] + triangle_worth * (triangles[0] - triangles[1]) +
           unit_worth * (units[0] - units[1]) - (rest > 0 ? STEP_WORTH : 0) * (far[0] - far[1]);
}

// Units that are no longer there walk no further.
static void forget_lost(std::vector<Walk>& walks, const std::int16_t* units) {
    std::array<std::int16_t, MAX_HOUSES> left;
    std::copy(units, units + MAX_HOUSES, left.begin());
    std::erase_if(walks, [&](const Walk& walk) { return left[walk.at]-- <= 0; });
}

// Units that no walk knows stay where they are.
static void add_new(std::vector<Walk>& walks, const std::int16_t* units) {
    std::array<int, MAX_HOUSES> known{};
    for (const Walk& walk : walks) known[walk.at]++;
    for (int house = 0; house < map.n; house++)
        for (; known[house] < units[house] && walks.size() < MAX_UNITS; known[house]++)
            walks.push_back({std::uint8_t(house), stay(house)});
}

// Two plans that are being carried out.
struct Sight {
    State state;
    std::vector<Walk> walks[2];
    Orders orders[2];

    void begin(const State& now, const Plan plans[2]) {
        state = now;
        for (int p = 0; p < 2; p++) {
            walks[p] = plans[p].walks;
            for (std::size_t i = 0; i < walks[p].size(); i++) walks[p][i].id = i;
        }
    }
    void turn(const Plan plans[2], int turn) {
        for (int p = 0; p < 2; p++) orders_of(plans[p], walks[p], turn, state, orders[p]);
        state.turn(orders);
        for (int p = 0; p < 2; p++) {
            for (Walk& walk : walks[p]) {
                int to = next_of(walk, turn);
                if (state.paths[walk.at] & bit(to)) walk.at = to;
            }
            const auto& actions = plans[p].actions;
            for (std::size_t i = 0; i < actions.size(); i++)
                if (actions[i].turn == turn && actions[i].kind == SPAWN && walks[p].size() < MAX_UNITS)
                    walks[p].push_back({actions[i].a, actions[i].goals, std::int16_t(~i)});
            if (state.losses || !orders[p].actions.empty()) forget_lost(walks[p], state.units[p]);
        }
    }
};

static double look_ahead(const State& now, const Plan plans[2]) {
    static Sight sight;
    sight.begin(now, plans);
    for (int turn = 0; turn < horizon; turn++) sight.turn(plans, turn);
    return value(sight.state);
}

// --- Plain players ---------------------------------------------------------------------------------------------------

const int ENOUGH_UNITS = 40, LAST_SPAWN = 180;
const int STRIKE = 4;                  // so many units on one house are worth an attack
const int CROWD = 3, TOO_CROWDED = 3;  // no more than so many are fought; where more are, it is so many steps farther
const int STOLEN = 2;                  // the other's triangles are so many steps nearer

// What somebody who does not look ahead would do in a state: attack crowds, spend everything on units, then walk to the
// cheapest triangles first.
struct Plain {
    const State& state;
    int me;
    const std::vector<Walk>& walks;
    std::int16_t mine[MAX_HOUSES], others[MAX_HOUSES];
    int danger[MAX_HOUSES], sent[MAX_HOUSES] = {};
    Mask idle;                    // walks
    std::vector<Action> actions;  // the answer,
    std::vector<int> goals;       // and that of each walk

    Plain(const State& now, int player, const std::vector<Walk>& units) : state(now), me(player), walks(units) {
        std::copy(state.units[me], state.units[me] + MAX_HOUSES, mine);
        std::copy(state.units[1 - me], state.units[1 - me] + MAX_HOUSES, others);
        for (int house = 0; house < map.n; house++) {
            danger[house] = others[house];
            each(state.paths[house], [&](int near) { danger[house] += others[near]; });
        }
        idle = (Mask(1) << walks.size()) - 1;
        for (const Walk& walk : walks) goals.push_back(walk.at);
        use_triangles();
        while (idle && send_to_a_triangle()) {}
    }

    void use_triangles() {
        int count = walks.size();
        for (int i = 0; i < state.count; i++) {
            const Triangle& t = state.triangles[i];
            if (t.owner != me) continue;
            int target = t.a;
            each(state.paths[t.a] | state.paths[t.b] | state.paths[t.c], [&](int near) {
                if (others[near] > others[target]) target = near;
            });
            bool lost = danger[t.a] > mine[t.a] && danger[t.b] > mine[t.b] && danger[t.c] > mine[t.c];
            if (others[target] >= STRIKE && mine[t.a] && mine[t.b] && mine[t.c]) {
                actions.push_back({ATTACK, t.a, t.b, t.c, std::uint8_t(target), 0, {}});
                others[target] = 0;
                for (int corner : {t.a, t.b, t.c}) pay_at(corner), count--;
            } else if (lost || (count < ENOUGH_UNITS && turn_number < LAST_SPAWN)) {
                std::uint8_t corners[3] = {t.a, t.b, t.c};
                auto safer = [&](int a, int b) { return danger[a] < danger[b]; };
                std::swap(corners[0], *std::max_element(corners, corners + 3, safer));
                actions.push_back({SPAWN, corners[0], corners[1], corners[2], 0, 0, stay(corners[0])});
                count++;
            }
        }
    }

    void pay_at(int house) {
        mine[house]--;
        for (std::size_t i = 0; i < walks.size(); i++)
            if (walks[i].at == house && (idle & bit(i))) {
                idle &= ~bit(i);
                return;
            }
    }

    // Sends the nearest units to the triangle that takes them the fewest steps; false if there is none.
    bool send_to_a_triangle() {
        struct Offer {
            int cost = 99;
            Mask walkers = 0;
            std::array<int, MAX_UNITS> to;
        } best, offer;
        for (int i = 0; i < state.count; i++) {
            const Triangle& t = state.triangles[i];
            if (t.owner == me || !t.may[me] || done[i]) continue;
            offer.cost = t.owner == 1 - me ? -STOLEN : 0, offer.walkers = 0;
            for (int corner : {t.a, t.b, t.c}) {
                if (others[corner] > CROWD) offer.cost += TOO_CROWDED;
                int need = std::min<int>(others[corner], CROWD) + 1 - sent[corner];
                for (; need > 0 && offer.cost < best.cost; need--) {
                    int nearest = -1, least = 99;
                    each(idle & ~offer.walkers, [&](int walk) {
                        int far = steps[walks[walk].at][corner];
                        if (far < least) nearest = walk, least = far;
                    });
                    offer.cost += least;
                    if (nearest >= 0) offer.walkers |= bit(nearest), offer.to[nearest] = corner;
                }
            }
            if (offer.cost < best.cost) best = offer, chosen = i;
        }
        if (best.cost == 99) return false;
        done[chosen] = true;
        idle &= ~best.walkers;
        each(best.walkers, [&](int walk) { goals[walk] = best.to[walk], sent[best.to[walk]]++; });
        return true;
    }

    bool done[MAX_TRIANGLES] = {};
    int chosen = 0;
};

// What two plain players would do against each other.
static void make_plain(const State& now, Plan plans[2]) {
    static Sight sight;
    for (int p = 0; p < 2; p++) add_new(plans[p].walks, now.units[p]);
    sight.begin(now, plans);
    for (int turn = 0; turn < horizon; turn++) {
        for (int p = 0; p < 2; p++) {
            Plain plain(sight.state, p, sight.walks[p]);
            for (Action& action : plain.actions) {
                action.turn = turn;
                plans[p].actions.push_back(action);
            }
            for (std::size_t i = 0; i < sight.walks[p].size(); i++) {
                Walk& walk = sight.walks[p][i];
                std::fill(walk.goals.begin() + turn, walk.goals.end(), plain.goals[i]);
                (walk.id < 0 ? plans[p].actions[~walk.id].goals : plans[p].walks[walk.id].goals) = walk.goals;
            }
        }
        sight.turn(plans, turn);
    }
}

// --- Better plans ----------------------------------------------------------------------------------------------------

static int house_near(int house) {
    for (;;) {
        int goal = chance.below(map.n);
        if (steps[house][goal] <= horizon || chance.one_in(200)) return goal;
    }
}

// A small change of a side's plan; now and then none.
struct Change {
    const State& now;
    int me;
    Plan& plan;

    void make() {
        int what = chance.below(100);
        if (what < 35) send_one();
        else if (what < 65) send_three();
        else if (what < 85) add_spawn();
        else if (what < 90) add_attack();
        else if (what < 92 && with_paths) add_path_change();
        else change_action();
    }

    const Triangle& some_triangle() { return now.triangles[chance.below(now.count)]; }

    void send_one() {
        if (plan.walks.empty()) return;
        Walk& walk = plan.walks[chance.below(plan.walks.size())];
        int goal = chance.one_in(4) ? walk.at : house_near(walk.at);
        int begin = chance.one_in(2) ? 0 : chance.below(horizon);
        int end = chance.one_in(2) ? MOST_AHEAD : begin + 1 + chance.below(horizon - begin);
        std::fill(walk.goals.begin() + begin, walk.goals.begin() + end, goal);
    }

    void send_three() {
        const Triangle& t = some_triangle();
        int begin = chance.one_in(2) ? 0 : chance.below(horizon);
        Mask taken = 0;
        for (int corner : {t.a, t.b, t.c}) {
            int best = -1, least = 999;
            for (std::size_t i = 0; i < plan.walks.size(); i++) {
                const Walk& walk = plan.walks[i];
                int far = 2 * steps[begin ? walk.goals[begin - 1] : walk.at][corner] + chance.one_in(4);
                if (!(taken & bit(i)) && far < least) best = i, least = far;
            }
            if (best < 0) return;
            taken |= bit(best);
            std::fill(plan.walks[best].goals.begin() + begin, plan.walks[best].goals.end(), corner);
        }
    }

    Action use_of(Kind kind, const Triangle& t, int turn) {
        std::uint8_t corners[3] = {t.a, t.b, t.c};
        std::swap(corners[0], corners[chance.below(3)]);
        return {kind, corners[0], corners[1], corners[2], 0, std::int8_t(turn), {}};
    }

    void add(const Action& action) {
        if (plan.actions.size() < 24) plan.actions.push_back(action);
    }

    void add_spawn() {
        const Triangle& t = some_triangle();
        Action action = use_of(SPAWN, t, chance.one_in(2) ? 0 : chance.below(horizon));
        if (action.turn == 0 && t.owner != me) return;
        action.goals = stay(chance.one_in(2) ? action.a : house_near(action.a));
        add(action);
    }

    void add_attack() {
        const Triangle& t = some_triangle();
        Action action = use_of(ATTACK, t, chance.one_in(2) ? 0 : chance.below(horizon));
        action.target = chance.below(map.n);
        if (!((now.paths[t.a] | now.paths[t.b] | now.paths[t.c]) & bit(action.target))) return;
        if (action.turn == 0 && (t.owner != me || !now.units[1 - me][action.target])) return;
        add(action);
    }

    void add_path_change() {
        const Triangle& t = some_triangle();
        Action action = use_of(ADD_PATH, t, 0);
        action.target = chance.below(map.n);
        if (now.paths[action.a] & bit(action.target)) action.kind = REMOVE_PATH;
        if (action.target != action.a && now.valid(action, me, &t)) add(action);
    }

    void change_action() {
        if (plan.actions.empty()) return;
        Action& action = plan.actions[chance.below(plan.actions.size())];
        int kind = chance.below(3);
        if (kind == 0) action.turn = std::clamp(action.turn + chance.below(3) - 1, 0, horizon - 1);
        else if (kind == 1 && action.kind == SPAWN) action.goals = stay(house_near(action.a));
        else action = plan.actions.back(), plan.actions.pop_back();
    }
};

// What a side's plan is worth to it, on average over the other's plans.
static double worth(const State& now, Plan plans[2], int me, const std::vector<Plan>& answers) {
    double sum = 0;
    for (const Plan& answer : answers) {
        plans[1 - me] = answer;
        sum += me ? -look_ahead(now, plans) : look_ahead(now, plans);
    }
    return sum / answers.size();
}

static double cpu_s() { return double(std::clock()) / CLOCKS_PER_SEC; }

// Hill climbing: a change stays unless it makes the plan worse. `until`: CPU time.
static void improve(const State& now, Plan plans[2], int me, int tries, const std::vector<Plan>& answers,
                    double until) {
    double best = worth(now, plans, me, answers);
    Plan kept;
    for (int i = 0; i < tries && (i % 16 || cpu_s() < until); i++) {
        kept = plans[me];
        Change change{now, me, plans[me]};
        change.make();
        if (chance.one_in(3)) change.make();
        double changed = worth(now, plans, me, answers);
        if (changed >= best) best = changed;
        else std::swap(plans[me], kept);
    }
}

// The better one of the plan from last turn and the plain one, improved.
static void think(const State& now, Plan plans[2], int me, int tries, const Plan& plain,
                  const std::vector<Plan>& answers, double until) {
    Plan old = plans[me];
    double with_old = worth(now, plans, me, answers);
    plans[me] = plain;
    if (worth(now, plans, me, answers) < with_old) plans[me] = old;
    improve(now, plans, me, tries, answers, until);
}

// One turn later: what a plan still says about the units that are there.
static void carry_over(Plan& plan, const State& before, const State& now, int player) {
    for (Walk& walk : plan.walks) {
        int to = next_of(walk, 0);
        if (before.paths[walk.at] & bit(to)) walk.at = to;
    }
    for (const Action& action : plan.actions)
        if (action.turn == 0 && action.kind == SPAWN) plan.walks.push_back({action.a, action.goals});
    std::erase_if(plan.actions, [](Action& action) { return action.turn-- == 0; });
    auto shift = [](Goals& goals) { std::copy(goals.begin() + 1, goals.end(), goals.begin()); };
    for (Walk& walk : plan.walks) shift(walk.goals);
    for (Action& action : plan.actions) shift(action.goals);
    forget_lost(plan.walks, now.units[player]);
    add_new(plan.walks, now.units[player]);
}

// --- Talking to the game ---------------------------------------------------------------------------------------------

static bool read(State& state) {
    state = State{};
    if (!(std::cin >> state.score[0] >> state.score[1])) return false;
    for (int house = 0, id; house < map.n; house++) std::cin >> id >> state.units[0][house] >> state.units[1][house];
    int n, a, b, c, owner;
    for (std::cin >> n; n--;) {
        std::cin >> a >> b;
        state.paths[a] |= bit(b), state.paths[b] |= bit(a);
    }
    for (std::cin >> state.count, n = 0; n < state.count; n++) {
        Triangle& t = state.triangles[n] = Triangle{};
        std::cin >> a >> b >> c >> owner >> t.may[0] >> t.may[1];
        t.a = a, t.b = b, t.c = c, t.owner = t.owner_before = owner;
    }
    for (std::cin >> n, with_paths |= n > 0; n--;) std::cin >> a >> b;
    std::copy(&state.units[0][0], &state.units[0][0] + 2 * MAX_HOUSES, &state.rested[0][0]);
    return true;
}

static std::string text_of(const State& now, const Orders& orders) {
    static const char* names[] = {"ATTACK", "SPAWN", "ADD_PATH", "REMOVE_PATH"};
    std::string text;
    State state = now;
    for (const Action& action : orders.actions) {
        if (!state.valid(action, 0, state.find(action))) continue;
        text += names[action.kind];
        for (int house : {action.a, action.b, action.c}) text += " " + std::to_string(house);
        if (action.kind != SPAWN) text += " " + std::to_string(action.target);
        text += ";";
    }
    for (const Move& move : orders.moves)
        text += "MOVE " + std::to_string(move.from) + " " + std::to_string(move.to) + " 1;";
    return text.empty() ? "WAIT" : text;
}

int main() {
    std::ios::sync_with_stdio(false);
    map.known.assign(MAX_HOUSES * MAX_HOUSES * MAX_HOUSES, -1);
    std::cin >> map.n;
    for (int house = 0, id; house < map.n; house++) std::cin >> id >> map.x[house] >> map.y[house];
    State now, before;
    Plan plans[2];
    while (read(now)) {
        double until = cpu_s() + CPU_S;
        turn_number++;
        horizon = std::clamp(LAST_TURN - turn_number, 1, HORIZON);
        for (int p = 0; p < 2; p++) carry_over(plans[p], before, now, p);
        find_ways(now);

        Plan plain[2];
        make_plain(now, plain);
        think(now, plans, 1, OPPONENT_TRIES, plain[1], {plain[0]}, until);
        const std::vector<Plan> answers{plain[1], plans[1]};
        think(now, plans, 0, OWN_TRIES, plain[0], answers, until);

        Orders orders;
        orders_of(plans[0], plans[0].walks, 0, now, orders);
        std::cout << text_of(now, orders) << std::endl;
        before = now;
    }
}
