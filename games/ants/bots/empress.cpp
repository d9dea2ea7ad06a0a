// Empress: plays whole plans ahead by the exact rules, and climbs from the best one. She plays like Queen, but looks at
// more plans less far ahead, and is more eager for crystal that comes early: what she expects of her opponent seldom
// holds for long.
//
// A plan is a list of targets. Its beacons are a tree that grows from the bases, one target after the other, each by a
// shortest way; all cells of a tree get the same strength, because a chain is worth as much as its weakest link. When
// a target is empty, the tree grows on by itself to whatever brings most for the cells that it costs.
// Both sides are played ahead: the opponent by whichever plan has told its last moves best, or else by a plan that would
// be good for it. Only work is counted, never time, so the same input gives the same output.
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

const int HORIZON = 7;     // turns played ahead
const int REGROW = 4;      // turns after which a tree grows anew at the latest
const long FIRST_WORK = 15'000'000, WORK = 1'300'000, OPPONENT_WORK = 200'000;  // small steps of a turn's search
const int MOST_TRIES = 1500; // changes of plans in a turn; what is left of the work is spared
const double EARLY = 0.06;   // what a crystal is worth more for each turn that it comes sooner
const double FORGET = 0.5;   // how much the last turn counts in the error of a habit

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

bool attacks = false;
long work;  // done this turn, in small loops of the code below

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
                work++;
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
        work += 2;
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
    if (!attacks) return;
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
    Cells targets = {};
    double egg = 2.0, crystal = 1.0;  // what the tree is keen on when it grows by itself
    double patience = 1.0;            // how much a further target may thin out the tree
    bool grows = true;                // whether it does so from the start, or only when a target is empty
    double per_cell = 0;              // if any: a tree grows as long as it has so many ants on each cell
    int lines = 0;                    // if any: no tree, but so many lines from the first base to what is nearest
};

struct Tree {
    Set cells;
    Cells targets;
};

// The cells of the game's own LINE.
void draw_line(int from, int to, Set& cells) {
    int before[MOST];
    std::fill(before, before + cell_count, -1);
    before[from] = from;
    Cells queue{from};
    for (std::size_t next = 0; before[to] < 0; next++)
        for (int near : links[queue[next]])
            if (before[near] < 0) before[near] = queue[next], queue.push_back(near);
    for (int cell = to; cell != from; cell = before[cell]) cells.add(cell);
    cells.add(from);
}

Tree draw_lines(const State& state, int side, int lines) {
    Tree tree;
    int base = bases[side][0];
    for (int steps = 0; steps <= farthest && lines; steps++)
        for (Set cells = rings[steps][base] & resources; !cells.empty() && lines;) {
            int cell = cells.pop();
            if (!state.left[cell]) continue;
            tree.targets.push_back(cell);
            draw_line(base, cell, tree.cells);
            lines--;
        }
    return tree;
}

// A tree while it grows.
struct Growth {
    const State& state;
    int side;
    const Plan& plan;
    Tree tree{};
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

    double worth_of(int cell) const { return kinds[cell] == EGG ? plan.egg : plan.crystal; }

    void take_in(int cell) {
        work += 3;
        tree.cells.add(cell);
        for (int other = 0; other < cell_count; other++)
            nearest[other] = std::min(nearest[other], distances[cell][other]);
        if (!waiting.has(cell)) return;
        waiting.drop(cell);
        worth += worth_of(cell);
    }

    // On a shortest way; of several, over other resources, and where ants are.
    void reach(int target) {
        tree.targets.push_back(target);
        Cells way;
        for (int cell = target; !tree.cells.has(cell);) {
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
        int size = tree.cells.count(), cost = nearest[target], ants = state.total[side];
        if (size + cost > ants) return true;
        if (plan.per_cell) return (size + cost) * plan.per_cell > ants;
        return worth_of(target) * size * plan.patience < worth * cost;
    }
};

Tree grow(const State& state, int side, const Plan& plan) {
    if (plan.lines) return draw_lines(state, side, plan.lines);
    Growth growth(state, side, plan);
    bool grows = plan.grows;
    for (int target : plan.targets) {
        if (!state.left[target]) grows = true;
        if (growth.waiting.has(target)) growth.reach(target);
    }
    for (int target; (target = growth.next()) >= 0;) {
        bool first = growth.tree.targets.empty();
        if (!first && (!grows || growth.too_thin_with(target))) break;
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
        if (!ahead || state.emptied || ahead % REGROW == 0) {
            beacons[0] = grow(state, 0, mine).cells;
            beacons[1] = grow(state, 1, theirs).cells;
        }
        early += EARLY * (HORIZON - ahead) * play(state, beacons[0], beacons[1]);
    }
    if (state.over && state.lead != 0) return (state.lead > 0 ? 1000.0 - state.turn : state.turn - 1000.0) + state.lead;
    int mine_total = state.total[0], their_total = state.total[1];
    return early + state.lead + 1.0 * state.crystal * (mine_total - their_total) / (mine_total + their_total);
}

// --- Searching ---------------------------------------------------------------------------------------------------------

std::uint64_t dice = 88172645463325252;

int roll(int sides) {
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return dice % sides;
}

// One change to a plan: targets come, go, or change their order, or the tree grows by itself in another way.
Plan changed(Plan plan, const Cells& others) {
    Cells& targets = plan.targets;
    int kind = roll(10);
    if (kind < 4 && !others.empty()) {
        int cell = others[std::min(roll(others.size()), roll(others.size()))];
        targets.insert(targets.begin() + roll(targets.size() + 1), cell);
    } else if (kind < 6 && targets.size() > 1) {
        targets.erase(targets.begin() + roll(targets.size()));
    } else if (kind < 8 && !targets.empty() && !others.empty()) {
        targets[roll(targets.size())] = others[std::min(roll(others.size()), roll(others.size()))];
    } else if (kind < 9 && targets.size() > 1) {
        std::swap(targets[roll(targets.size())], targets[roll(targets.size())]);
    } else {
        const double eggs[] = {0, 0.5, 1, 2, 4}, patience[] = {0.6, 1, 1.6, 2.5, 4};
        plan.egg = eggs[roll(5)];
        plan.patience = patience[roll(5)];
        plan.grows = roll(2);
    }
    return plan;
}

// Resources that are no targets of a tree, the nearest ones first.
Cells others_of(const State& state, const Tree& tree) {
    std::vector<std::pair<int, int>> found;
    for (Set cells = resources; !cells.empty();) {
        int cell = cells.pop();
        if (!state.left[cell] || std::count(tree.targets.begin(), tree.targets.end(), cell)) continue;
        int steps = 1000;
        for (Set all = tree.cells; !all.empty();) steps = std::min(steps, distances[cell][all.pop()]);
        found.push_back({steps, cell});
    }
    std::sort(found.begin(), found.end());
    Cells others;
    for (auto& [_, cell] : found) others.push_back(cell);
    return others;
}

// The best plan of a side against a plan of the other. `last`: the side's plan of the turn before.
Plan climb(const State& state, int side, const Plan& other, const Plan& last, long end) {
    Plan best;
    double best_value = -1e9;
    auto better = [&](const Plan& plan) {
        double value = side == 0 ? look_ahead(state, plan, other) : -look_ahead(state, other, plan);
        if (value <= best_value) return false;
        best_value = value;
        best = plan;
        return true;
    };
    better(last);
    const double keen[][2] = {{1, 1}, {2, 1}, {4, 1}, {1, 2}, {0, 1}};
    for (double patience : {1.0, 2.5, 0.6, 1.6})
        for (auto& [egg, crystal] : keen)
            if (work < end) better(Plan{.egg = egg, .crystal = crystal, .patience = patience});
    Plan base;
    Cells others;
    bool moved = true;
    for (int tries = 0; work < end && tries < MOST_TRIES; tries++) {
        if (moved) {
            Tree tree = grow(state, side, best);
            base = best;
            base.targets = tree.targets;
            base.grows = false;
            others = others_of(state, tree);
        }
        moved = better(changed(base, others));
    }
    return best;
}

// --- The opponent ------------------------------------------------------------------------------------------------------

// A plan that the opponent may follow. `error`: the share of its ants that went elsewhere, mostly of late.
struct Habit {
    Plan plan;
    double error;
};

// All habits with the errors that they have before anything is seen. The first one is not fixed: each turn it becomes
// the plan that would be best for the opponent.
std::vector<Habit> all_habits() {
    std::vector<Habit> habits{{Plan{}, 0.3}};
    for (int lines : {3, 1, 2, 4, 5, MOST})
        habits.push_back({Plan{.lines = lines}, lines == 3 ? 0.3 : 0.35});
    for (double egg : {2.0, 1.0, 4.0, 0.0}) {
        for (double patience : {1.0, 2.0, 3.0}) habits.push_back({Plan{.egg = egg, .patience = patience}, 0.4});
        for (double per_cell : {1.0, 2.0, 3.0, 4.0}) habits.push_back({Plan{.egg = egg, .per_cell = per_cell}, 0.4});
    }
    return habits;
}

// The share of the opponent's ants that are not where a plan would have led them.
double mismatch(State was, const State& now, const Plan& plan) {
    march(was, 1, grow(was, 1, plan).cells);
    int wrong = 0;
    for (int cell = 0; cell < cell_count; cell++) wrong += std::max(0, was.ants[1][cell] - now.ants[1][cell]);
    return 1.0 * wrong / std::max(1, was.total[1]);
}

// The plan that the opponent is most likely to follow.
Plan expected(std::vector<Habit>& habits, const State& was, const State& now, const Plan& mine) {
    if (now.turn)
        for (Habit& habit : habits) habit.error += FORGET * (mismatch(was, now, habit.plan) - habit.error);
    habits[0].plan = climb(now, 1, mine, habits[0].plan, OPPONENT_WORK);
    auto less = [](const Habit& one, const Habit& other) { return one.error < other.error; };
    return std::min_element(habits.begin(), habits.end(), less)->plan;
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
        if (kinds[cell] == EGG) attacks = true;  // perhaps: see `catch_up`
        for (int way = 2; way < 8; way++)
            if (numbers[way] >= 0) links[cell].push_back(numbers[way]);
        std::sort(links[cell].begin(), links[cell].end());
    }
    read_numbers();
    bases[0] = read_numbers();
    bases[1] = read_numbers();
}

// Where the input does not tell the points, they are what the chains of now took of what lay there before. It does not
// tell either whether there are attack chains; what has become of the crystal does.
void catch_up(State& state, const Numbers& before) {
    State was = state;
    was.left = before;
    auto gain_of = [&](bool& explained) {
        Set found[2];
        Numbers values[2], loss{};
        harvest_chains(was, found, values);
        int gain = taken(was, CRYSTAL, found[0] & resources, values[0], loss) -
                   taken(was, CRYSTAL, found[1] & resources, values[1], loss);
        explained = true;
        for (int cell = 0; cell < cell_count; cell++)
            explained &= kinds[cell] != CRYSTAL || std::max(0, before[cell] - loss[cell]) == state.left[cell];
        return gain;
    };
    bool explained;
    int gain = gain_of(explained);
    if (!explained) {
        attacks = !attacks;
        gain = gain_of(explained);
    }
    state.lead += gain;
}

// False at the end of the input.
bool read_turn(State& state, int turn) {
    Cells numbers = read_numbers();
    if (numbers.empty()) return false;
    bool points = numbers.size() == 2;
    if (points) {
        state.lead = numbers[0] - numbers[1];
        numbers = read_numbers();
    }
    Numbers before = state.left;
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
    if (!points && turn > 1) catch_up(state, before);
    return true;
}

int main() {
    read_map();
    measure();
    std::vector<Habit> habits = all_habits();
    Plan mine;
    State state{}, was{};
    for (int turn = 1; read_turn(state, turn); turn++) {
        work = 0;
        Plan theirs = expected(habits, was, state, mine);
        mine = climb(state, 0, theirs, mine, work + (turn == 1 ? FIRST_WORK : WORK));
        was = state;
        std::string commands;
        for (Set cells = grow(state, 0, mine).cells; !cells.empty();)
            commands += "BEACON " + std::to_string(cells.pop()) + " 1;";
        std::cout << commands << std::endl;
    }
}
