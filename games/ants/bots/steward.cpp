// Steward: plays a dozen simple plans four turns ahead by the exact rules, and follows the best one of each turn.
//
// A plan says how keen it is on eggs and how thin its chains may get. Its beacons are a tree that grows from the bases to
// what brings most for the cells that it costs; all cells get the same strength, because a chain is worth as much as its
// weakest link. Steward never watches its opponent: it expects everybody to farm eggs as Nurse does.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using Cells = std::vector<int>;

const int MOST = 128;      // cells of a map, at most
const int LAST_TURN = 100;
const int EGG = 1, CRYSTAL = 2;

const int HORIZON = 4;      // turns played ahead
const double EARLY = 0.02;  // what a crystal is worth more for each turn that it comes sooner

// A set of cells.
struct Set {
    std::uint64_t low = 0, high = 0;
    bool has(int cell) const { return (cell < 64 ? low >> cell : high >> (cell - 64)) & 1; }
    void add(int cell) { (cell < 64 ? low : high) |= std::uint64_t{1} << (cell & 63); }
    void drop(int cell) { (cell < 64 ? low : high) &= ~(std::uint64_t{1} << (cell & 63)); }
    bool empty() const { return !(low | high); }
    int count() const { return __builtin_popcountll(low) + __builtin_popcountll(high); }
    int pop() {
        if (low) {
            int cell = __builtin_ctzll(low);
            low &= low - 1;
            return cell;
        }
        int cell = 64 + __builtin_ctzll(high);
        high &= high - 1;
        return cell;
    }
    Set operator&(const Set& other) const { return {low & other.low, high & other.high}; }
    Set without(const Set& other) const { return {low & ~other.low, high & ~other.high}; }
};

// --- The map ---------------------------------------------------------------------------------------------------------

int cell_count;
std::array<int, MOST> kinds;
std::array<Cells, MOST> links;
Cells bases[2];
int distances[MOST][MOST];
int farthest;
std::vector<std::array<Set, MOST>> rings;  // steps -> cell -> the cells so many steps away

void measure() {
    for (int start = 0; start < cell_count; start++) {
        std::fill(distances[start], distances[start] + MOST, 1000);
        distances[start][start] = 0;
        Cells queue{start};
        for (std::size_t next = 0; next < queue.size(); next++)
            for (int near : links[queue[next]])
                if (distances[start][near] == 1000) {
                    distances[start][near] = distances[start][queue[next]] + 1;
                    queue.push_back(near);
                }
    }
    for (int a = 0; a < cell_count; a++)
        for (int b = 0; b < cell_count; b++)
            if (distances[a][b] < 1000) farthest = std::max(farthest, distances[a][b]);
    rings.resize(farthest + 1);
    for (int a = 0; a < cell_count; a++)
        for (int b = 0; b < cell_count; b++)
            if (distances[a][b] < 1000) rings[distances[a][b]][a].add(b);
}

// --- The rules ---------------------------------------------------------------------------------------------------------

using Numbers = std::array<int, MOST>;

struct State {
    Numbers left;     // cell -> crystal or eggs
    Numbers ants[2];  // side -> cell -> ants; side 0 is mine
    Set occupied[2];
    int total[2];     // ants of a side
    int crystal;      // all that is left
    int lead;
    int turn;         // turns played
    bool over;
    bool emptied;     // whether a resource ran out in the last turn
};

// Ants of a side after one turn, for beacons of equal strength.
void march(State& state, int side, Set beacons) {
    if (beacons.empty() || !state.total[side]) return;
    Numbers& ants = state.ants[side];
    Numbers left = ants, room;
    Numbers moved{};
    double share = 1.0 * state.total[side] / beacons.count();
    int wanted = std::max(1, (int)std::floor(share)), extra = (int)std::ceil(share) - wanted;
    Set open = beacons, waiting = state.occupied[side], arrived;
    for (Set all = beacons; !all.empty();) room[all.pop()] = wanted;
    for (int round = 0; round < 2 && !waiting.empty(); round++) {
        if (round == 1) {
            if (!extra) break;
            for (Set all = beacons; !all.empty();) room[all.pop()] += extra;
            open = beacons;
        }
        for (int steps = 0; steps <= farthest && !waiting.empty() && !open.empty(); steps++)
            for (Set starts = waiting; !starts.empty();) {
                int start = starts.pop();
                for (Set goals = rings[steps][start] & open; !goals.empty();) {
                    int goal = goals.pop();
                    int count = std::min(left[start], room[goal]);
                    left[start] -= count;
                    room[goal] -= count;
                    if (!room[goal]) open.drop(goal);
                    int next = start;
                    if (steps) {
                        next = -1;
                        for (int near : links[start])
                            if (distances[goal][near] == steps - 1) {
                                if (next < 0 || ants[near] > ants[next] ||
                                    (ants[near] == ants[next] && beacons.has(near) && !beacons.has(next)))
                                    next = near;
                            }
                    }
                    moved[next] += count;
                    arrived.add(next);
                    if (!left[start]) {
                        waiting.drop(start);
                        break;
                    }
                }
            }
    }
    for (Set rest = waiting; !rest.empty();) {
        int cell = rest.pop();
        moved[cell] += left[cell];
        arrived.add(cell);
    }
    ants = moved;
    state.occupied[side] = arrived;
}

// Each cell's best chain to a base: its weakest link. Returns the cells that have one.
Set chains(const State& state, int side, Set usable, Numbers& values) {
    Set found, queued;
    int queue[MOST], size = 0;
    const Numbers& ants = state.ants[side];
    for (int base : bases[side])
        if (usable.has(base)) values[base] = ants[base], queue[size++] = base, queued.add(base);
    while (size) {
        int best = 0;
        for (int place = 1; place < size; place++)
            if (values[queue[place]] > values[queue[best]]) best = place;
        int cell = queue[best];
        queue[best] = queue[--size];
        found.add(cell);
        for (int near : links[cell])
            if (usable.has(near) && !queued.has(near)) {
                queued.add(near);
                values[near] = std::min(values[cell], ants[near]);
                queue[size++] = near;
            }
    }
    return found;
}

// Both sides' harvest chains: over cells where the other side's chain is not stronger.
void harvest_chains(const State& state, Set (&found)[2], Numbers (&values)[2]) {
    for (int side : {0, 1}) found[side] = chains(state, side, state.occupied[side], values[side]);
    Set broken[2];
    for (Set both = found[0] & found[1]; !both.empty();) {
        int cell = both.pop();
        if (values[0][cell] < values[1][cell]) broken[0].add(cell);
        if (values[1][cell] < values[0][cell]) broken[1].add(cell);
    }
    // A cell with ants but without a chain is of no use anyway.
    for (int side : {0, 1}) {
        if (broken[side].empty()) continue;
        found[side] = chains(state, side, found[side].without(broken[side]), values[side]);
    }
}

// What a side takes of a kind. The resources shrink later, when both sides have taken.
int taken(const State& state, int kind, Set cells, const Numbers& values, Numbers& loss) {
    int sum = 0;
    while (!cells.empty()) {
        int cell = cells.pop();
        if (kinds[cell] != kind || !state.left[cell]) continue;
        int amount = std::min(values[cell], state.left[cell]);
        loss[cell] += amount;
        sum += amount;
    }
    return sum;
}

Set resources;

void shrink(State& state, const Numbers& loss) {
    for (Set cells = resources; !cells.empty();) {
        int cell = cells.pop();
        if (!loss[cell]) continue;
        int amount = std::min(loss[cell], state.left[cell]);
        state.left[cell] -= amount;
        if (kinds[cell] == CRYSTAL) state.crystal -= amount;
        if (!state.left[cell]) state.emptied = true;
    }
}

// One turn. Returns what side 0 gained on side 1.
int play(State& state, Set mine, Set theirs) {
    state.emptied = false;
    march(state, 0, mine);
    march(state, 1, theirs);
    Set found[2];
    Numbers values[2];
    harvest_chains(state, found, values);
    Numbers loss{};
    bool hatched = false;
    int eggs[2];
    for (int side : {0, 1}) eggs[side] = taken(state, EGG, found[side] & resources, values[side], loss);
    for (int side : {0, 1}) {
        if (!eggs[side]) continue;
        hatched = true;
        for (int base : bases[side]) {
            state.ants[side][base] += eggs[side];
            state.occupied[side].add(base);
            state.total[side] += eggs[side];
        }
    }
    if (hatched) {
        shrink(state, loss);
        loss.fill(0);
        harvest_chains(state, found, values);
    }
    int gain = taken(state, CRYSTAL, found[0] & resources, values[0], loss) -
               taken(state, CRYSTAL, found[1] & resources, values[1], loss);
    shrink(state, loss);
    state.lead += gain;
    state.turn++;
    state.over = state.turn >= LAST_TURN || std::abs(state.lead) >= state.crystal;
    return gain;
}

// --- Plans -------------------------------------------------------------------------------------------------------------

struct Plan {
    double egg = 2.0;       // what eggs are worth, if crystal is worth 1
    double patience = 1.0;  // how much a further target may thin out the tree
    double per_cell = 0;    // if any: a tree grows as long as it has so many ants on each cell
};

// A tree while it grows.
struct Growth {
    const State& state;
    int side;
    const Plan& plan;
    Set tree{};
    int nearest[MOST];  // cell -> steps from the tree
    Set waiting{};      // resources that it could reach out to
    double worth = 0;   // of the resources that it has

    Growth(const State& state, int side, const Plan& plan) : state(state), side(side), plan(plan) {
        std::fill(nearest, nearest + cell_count, 1000);
        for (int base : bases[side]) take_in(base);
        for (Set cells = resources; !cells.empty();) {
            int cell = cells.pop();
            if (state.left[cell]) waiting.add(cell);
        }
    }

    double worth_of(int cell) const { return kinds[cell] == EGG ? plan.egg : 1.0; }

    void take_in(int cell) {
        tree.add(cell);
        for (int other = 0; other < cell_count; other++)
            nearest[other] = std::min(nearest[other], distances[cell][other]);
        if (!waiting.has(cell)) return;
        waiting.drop(cell);
        worth += worth_of(cell);
    }

    // On a shortest way; of several, over other resources, and where ants are.
    void reach(int target) {
        Cells way;
        for (int cell = target; !tree.has(cell);) {
            way.push_back(cell);
            int best = -1, best_value = -1;
            for (int near : links[cell]) {
                int value = std::min(state.ants[side][near], 999) + (waiting.has(near) ? 1000 : 0);
                if (nearest[near] < nearest[cell] && value > best_value) best = near, best_value = value;
            }
            cell = best;
        }
        for (int cell : way) take_in(cell);
    }

    // The target that is worth most for its distance, or -1.
    int next() const {
        int best = -1;
        double best_value = 0;
        for (Set cells = waiting; !cells.empty();) {
            int cell = cells.pop();
            double value = worth_of(cell) / (nearest[cell] + 0.3);
            if (value > best_value) best = cell, best_value = value;
        }
        return best;
    }

    bool too_thin_with(int target) const {
        int size = tree.count(), cost = nearest[target], ants = state.total[side];
        if (size + cost > ants) return true;
        if (plan.per_cell) return (size + cost) * plan.per_cell > ants;
        return worth_of(target) * size * plan.patience < worth * cost;
    }
};

Set grow(const State& state, int side, const Plan& plan) {
    Growth growth(state, side, plan);
    for (int target; (target = growth.next()) >= 0;) {
        if (growth.worth > 0 && growth.too_thin_with(target)) break;
        growth.reach(target);
    }
    return growth.tree;
}

// --- Looking ahead -------------------------------------------------------------------------------------------------------

// How good the position is for side 0 after some turns of two plans: the lead, and a share of what is left for more ants.
double look_ahead(const State& now, const Plan& mine, const Plan& theirs) {
    State state = now;
    double early = 0;
    Set beacons[2];
    for (int ahead = 0; ahead < HORIZON && !state.over; ahead++) {
        if (!ahead || state.emptied) {
            beacons[0] = grow(state, 0, mine);
            beacons[1] = grow(state, 1, theirs);
        }
        early += EARLY * (HORIZON - ahead) * play(state, beacons[0], beacons[1]);
    }
    if (state.over && state.lead != 0) return (state.lead > 0 ? 1000.0 - state.turn : state.turn - 1000.0) + state.lead;
    int mine_total = state.total[0], their_total = state.total[1];
    return early + state.lead + 1.0 * state.crystal * (mine_total - their_total) / (mine_total + their_total);
}

// --- Choosing ----------------------------------------------------------------------------------------------------------

std::vector<Plan> simple_plans() {
    std::vector<Plan> plans;
    for (double egg : {2.0, 1.0}) {
        for (double patience : {1.0, 2.0, 3.0}) plans.push_back({.egg = egg, .patience = patience});
        for (double per_cell : {1.0, 2.0, 3.0}) plans.push_back({.egg = egg, .per_cell = per_cell});
    }
    return plans;
}

Plan best_plan(const State& state) {
    const Plan theirs{.egg = 8, .per_cell = 2};  // Nurse's, but for its end
    Plan best;
    double best_value = -1e9;
    for (const Plan& plan : simple_plans()) {
        double value = look_ahead(state, plan, theirs);
        if (value > best_value) best_value = value, best = plan;
    }
    return best;
}

// --- Reading and writing -----------------------------------------------------------------------------------------------

Cells read_numbers() {
    std::string line;
    std::getline(std::cin, line);
    std::istringstream words(line);
    Cells numbers;
    for (int number; words >> number;) numbers.push_back(number);
    return numbers;
}

void read_map() {
    cell_count = read_numbers().at(0);
    for (int cell = 0; cell < cell_count; cell++) {
        Cells numbers = read_numbers();
        kinds[cell] = numbers[0];
        if (kinds[cell]) resources.add(cell);
        for (int way = 2; way < 8; way++)
            if (numbers[way] >= 0) links[cell].push_back(numbers[way]);
        std::sort(links[cell].begin(), links[cell].end());
    }
    read_numbers();
    bases[0] = read_numbers();
    bases[1] = read_numbers();
}

// False at the end of the input.
bool read_turn(State& state, int turn) {
    Cells numbers = read_numbers();
    if (numbers.empty()) return false;
    if (numbers.size() == 2) {  // the points, in the full game
        state.lead = numbers[0] - numbers[1];
        numbers = read_numbers();
    }
    state.crystal = 0;
    for (int side : {0, 1}) state.total[side] = 0, state.occupied[side] = {};
    for (int cell = 0; cell < cell_count; cell++) {
        if (cell) numbers = read_numbers();
        state.left[cell] = numbers[0];
        if (kinds[cell] == CRYSTAL) state.crystal += numbers[0];
        for (int side : {0, 1}) {
            state.ants[side][cell] = numbers[1 + side];
            state.total[side] += numbers[1 + side];
            if (numbers[1 + side]) state.occupied[side].add(cell);
        }
    }
    state.turn = turn - 1;
    return true;
}

int main() {
    read_map();
    measure();
    State state{};
    for (int turn = 1; read_turn(state, turn); turn++) {
        Plan mine = best_plan(state);
        std::string commands;
        for (Set cells = grow(state, 0, mine); !cells.empty();)
            commands += "BEACON " + std::to_string(cells.pop()) + " 1;";
        std::cout << commands << std::endl;
    }
}
