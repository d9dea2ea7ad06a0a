// Imperator: plans like Triumvir, several times as fast, and knows better what its opponent may do. The plan that it
// expects of it does well against a plain player, and against its own plan of the turn before. Its own plan then does
// well against a plain opponent, the expected plan, and what was expected a turn ago.
// Sets of houses and of triangles are integers, a bit each, and a try is played from the first turn that it changes.
// It leaves all paths as they are.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

using Mask = std::uint64_t;  // a set of houses, or of triangles
const int MAX_HOUSES = 50, MAX_TRIANGLES = 64, MAX_UNITS = 60, LAST_TURN = 200;

static Mask bit(int i) { return Mask(1) << i; }
template <class Visit> static void each(Mask mask, Visit visit) {
    for (; mask; mask &= mask - 1) visit(std::countr_zero(mask));
}

// --- The map ---------------------------------------------------------------------------------------------------------

struct Triangle {
    std::uint8_t a, b, c;
    Mask corners;
};

struct Map {  // as it is this turn; paths stay as they are while plans are played
    int n = 0, count = 0;
    Mask paths[MAX_HOUSES] = {};
    Mask first_of[MAX_HOUSES], last_of[MAX_HOUSES];  // the houses whose first or last neighbour this is
    Mask corner[3][MAX_HOUSES];                      // the triangles with this house as their first, second, third
    Triangle triangles[MAX_TRIANGLES];
    int find(int a, int b, int c) const {
        Mask corners = bit(a) | bit(b) | bit(c);
        for (int i = 0; i < count; i++)
            if (triangles[i].corners == corners) return i;
        return -1;
    }
} map;

const int FAR = 5;                                                        // steps; beyond them all is equally far
std::uint8_t hop[MAX_HOUSES][MAX_HOUSES], steps[MAX_HOUSES][MAX_HOUSES];  // [from][to]
Mask within[MAX_HOUSES][FAR];                                             // the houses at most so many steps away

static void find_ways() {
    for (int to = 0; to < map.n; to++) {
        for (int from = 0; from < map.n; from++) steps[from][to] = 99, hop[from][to] = from;
        steps[to][to] = 0;
        std::vector<int> queue{to};
        for (std::size_t next = 0; next < queue.size(); next++)
            each(map.paths[queue[next]], [&](int near) {
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

// --- Plans -----------------------------------------------------------------------------------------------------------

const int HORIZON = 6;
const int MOST_AHEAD = HORIZON + 1, MOST_ACTIONS = 60;
using Goals = std::array<std::uint8_t, MOST_AHEAD>;  // where a unit walks to, turn by turn

enum Kind : std::int8_t { ATTACK, SPAWN };

struct Action {  // something that a triangle is used for
    Kind kind;
    std::uint8_t a, b, c;  // the triangle; a SPAWN is on a
    std::uint8_t target;   // an ATTACK's house
    std::int8_t turn;      // from now on
    Goals goals;           // of a unit that is spawned
    std::int8_t triangle;  // its place on the map; -1 if it is gone
};

struct Plan {
    int size = 0, count = 0;
    std::uint8_t starts[MAX_UNITS];
    Goals goals[MAX_UNITS];
    Action actions[MOST_ACTIONS];
    Mask uses[2][MOST_AHEAD];  // [kind][turn] -> actions, once they are sorted

    Goals& goals_of(int id) { return id < 0 ? actions[~id].goals : goals[id]; }
    const Goals& goals_of(int id) const { return id < 0 ? actions[~id].goals : goals[id]; }
    void add(const Action& action) {
        if (count < MOST_ACTIONS) actions[count++] = action;
    }
    void sort() {
        std::fill(&uses[0][0], &uses[0][0] + 2 * MOST_AHEAD, 0);
        for (int i = 0; i < count; i++) uses[actions[i].kind][actions[i].turn] |= bit(i);
    }
    void add_walk(int at, const Goals& to) {
        if (size < MAX_UNITS) starts[size] = at, goals[size++] = to;
    }
};

static Goals stay(int house) {
    Goals goals;
    goals.fill(house);
    return goals;
}

// --- The rules -------------------------------------------------------------------------------------------------------

// What one unit does. Units are only counted in the game; here each has a walk of its own.
struct Walk {
    std::uint8_t at;
    std::int8_t id;  // its place in the plan; ~i if the plan's action i makes the unit
};

// All of the game but paths that come and go.
struct State {
    int score[2] = {0, 0};
    int size[2] = {0, 0};
    std::int16_t units[2][MAX_HOUSES] = {};
    Mask lead[2], present[2];  // houses
    Mask owned[2], may[2];     // triangles
    Walk walks[2][MAX_UNITS];

    void begin(const Plan& first, const Plan& second) {
        for (int p = 0; p < 2; p++) {
            const Plan& plan = p ? second : first;
            size[p] = plan.size;
            for (int i = 0; i < size[p]; i++) walks[p][i] = {plan.starts[i], std::int8_t(i)};
        }
    }

    void look(Mask houses) {
        for (int p = 0; p < 2; p++) lead[p] &= ~houses, present[p] &= ~houses;
        each(houses, [&](int house) {
            int mine = units[0][house], others = units[1][house];
            lead[0] |= Mask(mine > others) << house, lead[1] |= Mask(others > mine) << house;
            present[0] |= Mask(mine > 0) << house, present[1] |= Mask(others > 0) << house;
        });
    }

    // Walks of units that are no longer there end.
    void forget_lost(int p, Mask houses) {
        std::int16_t left[MAX_HOUSES];
        std::copy(units[p], units[p] + MAX_HOUSES, left);
        int kept = 0;
        for (int i = 0; i < size[p]; i++) {
            const Walk& walk = walks[p][i];
            if ((houses & bit(walk.at)) && left[walk.at]-- <= 0) continue;
            walks[p][kept++] = walk;
        }
        size[p] = kept;
    }

    bool valid(const Action& action, int p, const Mask held[2]) const {
        if (action.triangle < 0 || !(owned[p] & held[p] & bit(action.triangle))) return false;
        if (action.kind == SPAWN) return true;
        return units[p][action.a] && units[p][action.b] && units[p][action.c] &&
               (map.paths[action.target] & map.triangles[action.triangle].corners);
    }

    // `changed`: for each side the houses on which it lost units.
    void attack(const Action& action, int p, Mask changed[2]) {
        for (int corner : {action.a, action.b, action.c})
            if (units[p][corner]) units[p][corner]--, changed[p] |= bit(corner);
        use(action, p);
        if (units[1 - p][action.target]) units[1 - p][action.target] = 0, changed[1 - p] |= bit(action.target);
    }

    void use(const Action& action, int p) { owned[p] &= ~bit(action.triangle), may[p] &= ~bit(action.triangle); }

    void attacks(const Plan* plans[2], int turn, const Mask held[2], Mask& changed) {
        Mask next[2] = {plans[0]->uses[ATTACK][turn], plans[1]->uses[ATTACK][turn]};
        if (!(next[0] | next[1])) return;
        Mask lost[2] = {0, 0};
        for (;;) {
            const Action* picked[2] = {nullptr, nullptr};
            for (int p = 0; p < 2; p++)
                for (; next[p] && !picked[p]; next[p] &= next[p] - 1) {
                    const Action& action = plans[p]->actions[std::countr_zero(next[p])];
                    if (valid(action, p, held)) picked[p] = &action;
                }
            if (!picked[0] && !picked[1]) break;
            for (int p = 0; p < 2; p++)
                if (picked[p]) attack(*picked[p], p, lost);
        }
        for (int p = 0; p < 2; p++)
            if (lost[p]) forget_lost(p, lost[p]), changed |= lost[p];
    }

    void turn(const Plan* plans[2], int turn) {
        Mask held[2] = {owned[0], owned[1]}, changed = 0;
        attacks(plans, turn, held, changed);
        for (int p = 0; p < 2; p++) {
            const Plan& plan = *plans[p];
            for (int i = 0; i < size[p]; i++) {
                Walk& walk = walks[p][i];
                int to = hop[walk.at][plan.goals_of(walk.id)[turn]];
                if (to == walk.at) continue;
                units[p][walk.at]--, units[p][to]++;
                changed |= bit(walk.at) | bit(to);
                walk.at = to;
            }
        }
        for (int p = 0; p < 2; p++)
            each(plans[p]->uses[SPAWN][turn], [&](int i) {
                const Action& action = plans[p]->actions[i];
                if (!valid(action, p, held)) return;
                use(action, p);
                units[p][action.a]++, changed |= bit(action.a);
                if (size[p] < MAX_UNITS) walks[p][size[p]++] = {action.a, std::int8_t(~i)};
            });
        look(changed);
        settle();
    }

    Mask surrounded_by(int p) const {
        Mask first = 0, last = 0, surrounded = 0;
        each(lead[p], [&](int house) { first |= map.first_of[house], last |= map.last_of[house]; });
        each(first & last, [&](int house) { surrounded |= Mask(!(map.paths[house] & ~lead[p])) << house; });
        return surrounded;
    }

    // The triangles with all corners among the houses.
    static Mask triangles_on(Mask houses) {
        Mask first = 0, second = 0, third = 0;
        each(houses, [&](int house) {
            first |= map.corner[0][house], second |= map.corner[1][house], third |= map.corner[2][house];
        });
        return first & second & third;
    }

    void settle() {
        Mask surrounded[2] = {surrounded_by(0), surrounded_by(1)};
        Mask dead[2] = {present[0] & surrounded[1], present[1] & surrounded[0]};
        if (dead[0] | dead[1]) {
            for (int p = 0; p < 2; p++)
                if (dead[p]) {
                    each(dead[p], [&](int house) { units[p][house] = 0; });
                    forget_lost(p, dead[p]);
                }
            refresh();
            look(dead[0] | dead[1]);
            for (int p = 0; p < 2; p++) surrounded[p] = surrounded_by(p);
        }
        refresh();
        Mask mine[2] = {surrounded[0] | (lead[0] & ~surrounded[1]), surrounded[1] | (lead[1] & ~surrounded[0])};
        Mask taken[2] = {0, 0};
        for (int p = 0; p < 2; p++) taken[p] = may[p] & triangles_on(mine[p]);
        for (int p = 0; p < 2; p++) {
            owned[p] = (owned[p] & ~taken[1 - p]) | taken[p];
            may[p] = (may[p] & ~taken[p]) | taken[1 - p];
            score[p] += std::popcount(owned[p]);
        }
    }

    void refresh() {
        Mask nobody = ~(owned[0] | owned[1]);
        for (int p = 0; p < 2; p++)
            each(nobody & ~may[p] & (bit(map.count) - 1), [&](int i) {
                if (!(map.triangles[i].corners & present[p])) may[p] |= bit(i);
            });
    }
};

const int OWN_TRIES = 1500, OPPONENT_TRIES = 500;
const double CPU_S = 0.030;  // no new try after so much time; the tries are far quicker, as a rule
const int MOST_USES = 24;    // of triangles in a plan; a plain player's plan may have more

const double TRIANGLE_WORTH = 10;      // points, for a triangle that is held when the plan ends
const double UNIT_WORTH = 40;          // points, for a unit
const double UNIT_WORTH_A_TURN = 0.3;  // but no more than this for each turn that is left then
const double STEP_WORTH = 0.3;         // points, for a step nearer to a triangle that it may capture

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

// What a state is worth at the end of the plans, in points of side 0.
static double value(const State& state) {
    int triangles[2], units[2] = {0, 0}, far[2] = {0, 0};
    Mask wanted[2] = {0, 0};
    for (int i = 0; i < map.count; i++) {
        Mask corners = map.triangles[i].corners;
        for (int p = 0; p < 2; p++) wanted[p] |= corners & -(state.may[p] >> i & 1);
    }
    int rest = LAST_TURN - turn_number - horizon;
    for (int p = 0; p < 2; p++) triangles[p] = std::popcount(state.owned[p]);
    for (int p = 0; p < 2; p++) {
        if (triangles[p] >= 0.8 * map.count) return p ? -1e6 : 1e6;
        each(state.present[p], [&](int house) {
            int here = state.units[p][house], steps = 0;
            units[p] += here;
            while (steps < FAR && !(within[house][steps] & wanted[p])) steps++;
            far[p] += steps * here;
        });
    }
    double triangle_worth = std::min<double>(rest, TRIANGLE_WORTH);
    double unit_worth = std::min(UNIT_WORTH, rest * UNIT_WORTH_A_TURN);
    return state.score[0] - state.score[1] + triangle_worth * (triangles[0] - triangles[1]) +
           unit_worth * (units[0] - units[1]) - (rest > 0 ? STEP_WORTH : 0) * (far[0] - far[1]);
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
    const Walk* walks;
    int size;
    std::int16_t mine[MAX_HOUSES], others[MAX_HOUSES];
    int danger[MAX_HOUSES], sent[MAX_HOUSES] = {};
    Mask idle;                    // walks
    std::vector<Action> actions;  // the answer,
    std::vector<int> goals;       // and that of each walk

    Plain(const State& now, int player) : state(now), me(player), walks(now.walks[player]), size(now.size[player]) {
        std::copy(state.units[me], state.units[me] + MAX_HOUSES, mine);
        std::copy(state.units[1 - me], state.units[1 - me] + MAX_HOUSES, others);
        for (int house = 0; house < map.n; house++) {
            danger[house] = others[house];
            each(map.paths[house], [&](int near) { danger[house] += others[near]; });
        }
        idle = (Mask(1) << size) - 1;
        for (int i = 0; i < size; i++) goals.push_back(walks[i].at);
        use_triangles();
        while (idle && send_to_a_triangle()) {}
    }

    void use_triangles() {
        int count = size;
        for (int i = 0; i < map.count; i++) {
            const Triangle& t = map.triangles[i];
            if (!(state.owned[me] & bit(i))) continue;
            int target = t.a;
            each(map.paths[t.a] | map.paths[t.b] | map.paths[t.c], [&](int near) {
                if (others[near] > others[target]) target = near;
            });
            bool lost = danger[t.a] > mine[t.a] && danger[t.b] > mine[t.b] && danger[t.c] > mine[t.c];
            if (others[target] >= STRIKE && mine[t.a] && mine[t.b] && mine[t.c]) {
                actions.push_back({ATTACK, t.a, t.b, t.c, std::uint8_t(target), 0, {}, std::int8_t(i)});
                others[target] = 0;
                for (int corner : {t.a, t.b, t.c}) pay_at(corner), count--;
            } else if (lost || (count < ENOUGH_UNITS && turn_number < LAST_SPAWN)) {
                std::uint8_t corners[3] = {t.a, t.b, t.c};
                auto safer = [&](int a, int b) { return danger[a] < danger[b]; };
                std::swap(corners[0], *std::max_element(corners, corners + 3, safer));
                const Goals goals = stay(corners[0]);
                actions.push_back({SPAWN, corners[0], corners[1], corners[2], 0, 0, goals, std::int8_t(i)});
                count++;
            }
        }
    }

    void pay_at(int house) {
        mine[house]--;
        for (int i = 0; i < size; i++)
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
        for (int i = 0; i < map.count; i++) {
            const Triangle& t = map.triangles[i];
            if (!(state.may[me] & bit(i)) || done[i]) continue;
            offer.cost = state.owned[1 - me] & bit(i) ? -STOLEN : 0, offer.walkers = 0;
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

// Units that no walk knows stay where they are.
static void add_new(Plan& plan, const std::int16_t* units) {
    int known[MAX_HOUSES] = {};
    for (int i = 0; i < plan.size; i++) known[plan.starts[i]]++;
    for (int house = 0; house < map.n; house++)
        for (; known[house] < units[house] && plan.size < MAX_UNITS; known[house]++) plan.add_walk(house, stay(house));
}

// What two plain players would do against each other.
static void make_plain(const State& now, Plan plans[2]) {
    for (int p = 0; p < 2; p++) add_new(plans[p], now.units[p]);
    State state = now;
    state.begin(plans[0], plans[1]);
    for (int turn = 0; turn < horizon; turn++) {
        for (int p = 0; p < 2; p++) {
            Plain plain(state, p);
            for (Action& action : plain.actions) {
                action.turn = turn;
                plans[p].add(action);
            }
            for (int i = 0; i < state.size[p]; i++) {
                Goals& goals = plans[p].goals_of(state.walks[p][i].id);
                std::fill(goals.begin() + turn, goals.end(), plain.goals[i]);
            }
        }
        for (int p = 0; p < 2; p++) plans[p].sort();
        const Plan* both[2] = {&plans[0], &plans[1]};
        state.turn(both, turn);
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
    int first = MOST_AHEAD;  // the first turn that is different

    void make() {
        int what = chance.below(100);
        if (what < 35) send_one();
        else if (what < 65) send_three();
        else if (what < 85) add_spawn();
        else if (what < 90) add_attack();
        else change_action();
    }

    void from(int turn) { first = std::min(first, turn); }
    int some_turn() { return chance.one_in(2) ? 0 : chance.below(horizon); }

    void send_one() {
        if (!plan.size) return;
        int i = chance.below(plan.size);
        Goals& goals = plan.goals[i];
        int goal = chance.one_in(4) ? plan.starts[i] : house_near(plan.starts[i]);
        int begin = some_turn();
        int end = chance.one_in(2) ? MOST_AHEAD : begin + 1 + chance.below(horizon - begin);
        std::fill(goals.begin() + begin, goals.begin() + end, goal);
        from(begin);
    }

    void send_three() {
        const Triangle& t = map.triangles[chance.below(map.count)];
        int begin = some_turn();
        Mask taken = 0;
        for (int corner : {t.a, t.b, t.c}) {
            int best = -1, least = 999;
            for (int i = 0; i < plan.size; i++) {
                int far = 2 * steps[begin ? plan.goals[i][begin - 1] : plan.starts[i]][corner] + chance.one_in(4);
                if (!(taken & bit(i)) && far < least) best = i, least = far;
            }
            if (best < 0) return;
            taken |= bit(best);
            std::fill(plan.goals[best].begin() + begin, plan.goals[best].end(), corner);
            from(begin);
        }
    }

    Action use_of(Kind kind, int triangle, int turn) {
        const Triangle& t = map.triangles[triangle];
        std::uint8_t corners[3] = {t.a, t.b, t.c};
        std::swap(corners[0], corners[chance.below(3)]);
        return {kind, corners[0], corners[1], corners[2], 0, std::int8_t(turn), {}, std::int8_t(triangle)};
    }

    void add(const Action& action) {
        if (plan.count < MOST_USES) plan.add(action), from(action.turn);
    }

    void add_spawn() {
        int t = chance.below(map.count);
        Action action = use_of(SPAWN, t, some_turn());
        if (action.turn == 0 && !(now.owned[me] & bit(t))) return;
        action.goals = stay(chance.one_in(2) ? action.a : house_near(action.a));
        add(action);
    }

    void add_attack() {
        int t = chance.below(map.count);
        Action action = use_of(ATTACK, t, some_turn());
        action.target = chance.below(map.n);
        if (!((map.paths[action.a] | map.paths[action.b] | map.paths[action.c]) & bit(action.target))) return;
        if (action.turn == 0 && (!(now.owned[me] & bit(t)) || !now.units[1 - me][action.target])) return;
        add(action);
    }

    void change_action() {
        if (!plan.count) return;
        Action& action = plan.actions[chance.below(plan.count)];
        int kind = chance.below(3);
        from(action.turn);
        if (kind == 0) action.turn = std::clamp(action.turn + chance.below(3) - 1, 0, horizon - 1);
        else if (kind == 1 && action.kind == SPAWN) action.goals = stay(house_near(action.a));
        else from(0), action = plan.actions[--plan.count];
        from(action.turn);
    }
};

const int MOST_ANSWERS = 3;

// A plan being improved against some answers, with all states on the way.
struct Search {
    int me;
    std::vector<Plan> answers;
    Plan plan;
    State states[MOST_ANSWERS][MOST_AHEAD + 1], tried[MOST_ANSWERS][MOST_AHEAD + 1];

    // What the plan is worth to its side, on average over the answers, if nothing before turn `first` changed.
    double play(int first, State to[MOST_ANSWERS][MOST_AHEAD + 1]) {
        double sum = 0;
        plan.sort();
        for (std::size_t a = 0; a < answers.size(); a++) {
            const Plan* plans[2] = {me ? &answers[a] : &plan, me ? &plan : &answers[a]};
            for (int turn = first; turn < horizon; turn++) {
                to[a][turn + 1] = turn == first ? states[a][turn] : to[a][turn];
                to[a][turn + 1].turn(plans, turn);
            }
            double worth = value(to[a][horizon]);
            sum += me ? -worth : worth;
        }
        return sum / answers.size();
    }
    double begin(const State& now) {
        for (std::size_t a = 0; a < answers.size(); a++) {
            answers[a].sort();
            states[a][0] = now;
            states[a][0].begin(me ? answers[a] : plan, me ? plan : answers[a]);
        }
        return play(0, states);
    }
    void keep(int first) {
        for (std::size_t a = 0; a < answers.size(); a++)
            std::copy(tried[a] + first + 1, tried[a] + horizon + 1, states[a] + first + 1);
    }
};

static double cpu_s() { return double(std::clock()) / CLOCKS_PER_SEC; }

// The better one of the plan from last turn and the plain one, improved by hill climbing: a change stays unless it
// makes the plan worse. `until`: CPU time.
static void think(const State& now, Plan& plan, int me, int tries, const Plan& plain, const std::vector<Plan>& answers,
                  double until) {
    static Search search;
    search.me = me, search.answers = answers;
    search.plan = plain;
    double with_plain = search.begin(now);
    search.plan = plan;
    double best = search.begin(now);
    if (with_plain > best) search.plan = plain, best = search.begin(now);
    for (int i = 0; i < tries && (i % 16 || cpu_s() < until); i++) {
        plan = search.plan;
        Change change{now, me, search.plan};
        change.make();
        if (chance.one_in(3)) change.make();
        double changed = change.first < horizon ? search.play(change.first, search.tried) : best - 1;
        if (changed >= best) best = changed, search.keep(change.first);
        else search.plan = plan;
    }
    plan = search.plan;
}

// One turn later: what a plan still says about the units that are there.
static void carry_over(Plan& plan, const std::int16_t* units) {
    Plan old = plan;
    plan.size = plan.count = 0;
    std::int16_t left[MAX_HOUSES];
    std::copy(units, units + MAX_HOUSES, left);
    auto shift = [](Goals& goals) { std::copy(goals.begin() + 1, goals.end(), goals.begin()); };
    auto keep = [&](int at, Goals goals) {
        shift(goals);
        if (left[at]-- > 0) plan.add_walk(at, goals);
    };
    for (int i = 0; i < old.size; i++) keep(hop[old.starts[i]][old.goals[i][0]], old.goals[i]);
    for (int i = 0; i < old.count; i++)
        if (old.actions[i].turn == 0 && old.actions[i].kind == SPAWN) keep(old.actions[i].a, old.actions[i].goals);
    for (int i = 0; i < old.count; i++) {
        Action action = old.actions[i];
        if (action.turn-- == 0) continue;
        action.triangle = map.find(action.a, action.b, action.c);
        shift(action.goals);
        plan.add(action);
    }
    add_new(plan, units);
}

// --- Talking to the game ---------------------------------------------------------------------------------------------

static bool read(State& state) {
    state = State{};
    if (!(std::cin >> state.score[0] >> state.score[1])) return false;
    for (int house = 0, id; house < map.n; house++) std::cin >> id >> state.units[0][house] >> state.units[1][house];
    int n, a, b, c, owner, may[2];
    std::fill(map.paths, map.paths + map.n, 0);
    for (std::cin >> n; n--;) {
        std::cin >> a >> b;
        map.paths[a] |= bit(b), map.paths[b] |= bit(a);
    }
    for (int house = 0; house < map.n; house++) map.first_of[house] = map.last_of[house] = 0;
    for (int house = 0; house < map.n; house++)
        if (Mask paths = map.paths[house]) {
            map.first_of[std::countr_zero(paths)] |= bit(house);
            map.last_of[63 - std::countl_zero(paths)] |= bit(house);
        }
    std::fill(&map.corner[0][0], &map.corner[0][0] + 3 * MAX_HOUSES, 0);
    for (int p = 0; p < 2; p++) state.owned[p] = state.may[p] = state.lead[p] = state.present[p] = 0;
    map.count = 0;
    for (std::cin >> n; n--;) {
        std::cin >> a >> b >> c >> owner >> may[0] >> may[1];
        if (map.count == MAX_TRIANGLES - 1) continue;
        map.triangles[map.count] = {std::uint8_t(a), std::uint8_t(b), std::uint8_t(c), bit(a) | bit(b) | bit(c)};
        map.corner[0][a] |= bit(map.count), map.corner[1][b] |= bit(map.count), map.corner[2][c] |= bit(map.count);
        if (owner >= 0) state.owned[owner] |= bit(map.count);
        for (int p = 0; p < 2; p++)
            if (may[p]) state.may[p] |= bit(map.count);
        map.count++;
    }
    for (std::cin >> n; n--;) std::cin >> a >> b;
    state.look(bit(map.n) - 1);
    return true;
}

static std::string text_of(const State& now, const Plan plans[2]) {
    std::string text;
    State state = now;
    state.begin(plans[0], plans[1]);
    const Mask held[2] = {state.owned[0], state.owned[1]};
    const Plan& plan = plans[0];
    Mask lost[2] = {0, 0};
    for (int i = 0; i < plan.count; i++) {
        const Action& action = plan.actions[i];
        if (action.turn != 0 || !state.valid(action, 0, held)) continue;
        text += action.kind == ATTACK ? "ATTACK" : "SPAWN";
        for (int house : {action.a, action.b, action.c}) text += " " + std::to_string(house);
        if (action.kind == ATTACK) text += " " + std::to_string(action.target);
        text += ";";
        if (action.kind == ATTACK) state.attack(action, 0, lost);
        else state.use(action, 0);
    }
    if (lost[0]) state.forget_lost(0, lost[0]);
    for (int i = 0; i < state.size[0]; i++) {
        const Walk& walk = state.walks[0][i];
        int to = hop[walk.at][plan.goals_of(walk.id)[0]];
        if (to != walk.at) text += "MOVE " + std::to_string(walk.at) + " " + std::to_string(to) + " 1;";
    }
    return text.empty() ? "WAIT" : text;
}

int main() {
    std::ios::sync_with_stdio(false);
    std::cin >> map.n;
    for (int house = 0, id, x, y; house < map.n; house++) std::cin >> id >> x >> y;
    State now;
    Plan plans[2];
    while (read(now)) {
        double until = cpu_s() + CPU_S;
        turn_number++;
        horizon = std::clamp(LAST_TURN - turn_number, 1, HORIZON);
        for (int p = 0; p < 2; p++) carry_over(plans[p], now.units[p]);
        find_ways();

        Plan plain[2];
        make_plain(now, plain);
        const Plan expected = plans[1];
        think(now, plans[1], 1, OPPONENT_TRIES, plain[1], {plain[0], plans[0]}, until);
        think(now, plans[0], 0, OWN_TRIES, plain[0], {plain[1], plans[1], expected}, until);
        std::cout << text_of(now, plans) << std::endl;
    }
}
