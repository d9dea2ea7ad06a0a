// Capstone, the boss: Keystone's search in C++, some fifty times as fast, with a table of the positions that it knows.
//
// A player's stones are one integer, one bit a cell. Rows are WIDTH bits apart, wider than the board, so that shifting
// by 1, WIDTH or WIDTH + 1 follows a line and never runs into the next row.
//
// A threat (a cell that would make four) must be answered at once, and a player whose only answer makes a three is lost.
// So forced answers cost the search no depth, and `attack` looks for a win by threats alone, at every leaf.
// It stops by its own CPU clock, far below the limit of a turn.
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using Board = unsigned __int128;

constexpr double TURN_S = 0.01;  // with 0.08 it wins 97 of 100 against Keystone, which would leave a gap between the bosses
constexpr int WIDTH = 12;
constexpr int STEPS[] = {1, WIDTH, WIDTH + 1};
constexpr int ROW_LENGTHS[] = {5, 6, 7, 8, 9, 8, 7, 6, 5};
constexpr int ROWS = 9;
constexpr int WIN = 100000;
constexpr int CERTAIN = WIN - 1000;
constexpr int LEAF_THREATS = 6;
constexpr int ROOT_THREATS = 20;
constexpr int CELLS = ROWS * WIDTH;
constexpr int TABLE_BITS = 20;

constexpr Board one(int cell) { return Board(1) << cell; }
constexpr int cell_at(int x, int y) { return y * WIDTH + x + std::max(0, y - 4); }

int count(Board cells) { return __builtin_popcountll(uint64_t(cells)) + __builtin_popcountll(uint64_t(cells >> 64)); }
int lowest(Board cells) {
    return uint64_t(cells) ? __builtin_ctzll(uint64_t(cells)) : 64 + __builtin_ctzll(uint64_t(cells >> 64));
}
bool several(Board cells) { return cells & (cells - 1); }

Board all = 0, rings[5];
Board inner = 0;

void make_board() {
    for (int y = 0; y < ROWS; y++) {
        for (int x = 0; x < ROW_LENGTHS[y]; x++) {
            const int across = x + std::max(0, y - 4) - 4, down = y - 4;
            rings[std::max({std::abs(across), std::abs(down), std::abs(across - down)})] |= one(cell_at(x, y));
            all |= one(cell_at(x, y));
        }
    }
    inner = all & ~rings[4];
}

struct Lines {
    Board fours = 0, threes = 0;  // cells that complete a line of four or of three, whether free or not
};

Lines lines(Board own) {
    Lines found;
    for (int step : STEPS) {
        const Board after = own >> step, before = own << step;
        const Board two_after = after & own >> 2 * step, two_before = before & own << 2 * step;
        found.threes |= two_after | two_before | (after & before);
        found.fours |= (two_after & (own >> 3 * step | before)) | (two_before & (own << 3 * step | after));
    }
    return found;
}

// Cells that make a threat: two stones and two free cells on four cells in line, in any order.
Board threat_makers(Board own, Board empty) {
    Board makers = 0;
    for (int step : STEPS) {
        const Board own_1 = own >> step, own_2 = own >> 2 * step, own_3 = own >> 3 * step;
        const Board free_1 = empty >> step, free_2 = empty >> 2 * step, free_3 = empty >> 3 * step;
        const Board ends = empty & free_3 & own_1 & own_2, middle = own & own_3 & free_1 & free_2;
        const Board first_third = empty & free_2 & own_1 & own_3, second_last = free_1 & free_3 & own & own_2;
        const Board first_two = empty & free_1 & own_2 & own_3, last_two = free_2 & free_3 & own & own_1;
        makers |= ends | first_third | first_two;
        makers |= (middle | second_last | first_two) << step;
        makers |= (middle | first_third | last_two) << 2 * step;
        makers |= (ends | second_last | last_two) << 3 * step;
    }
    return makers;
}

double used_s() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

struct OutOfTime {};

enum class Kind : uint8_t { none, exact, at_least, at_most };

struct Entry {
    Board own = 0, other = 0;
    int16_t depth = 0;
    Kind kind = Kind::none;
    int8_t move = -1;
    int32_t worth = 0;
};

std::vector<Entry> table(size_t(1) << TABLE_BITS);
int cutoffs[CELLS];

Entry &entry_of(Board own, Board other) {
    uint64_t hash = uint64_t(own) * 0x9E3779B97F4A7C15u ^ uint64_t(own >> 64) * 0xC2B2AE3D27D4EB4Fu;
    hash ^= (hash >> 29) + uint64_t(other) * 0x165667B19E3779F9u + uint64_t(other >> 64) * 0x27D4EB2F165667C5u;
    hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
    return table[hash >> (64 - TABLE_BITS)];
}

struct Search {
    double deadline;
    uint64_t nodes = 0;

    void tick() {
        if ((++nodes & 255) == 0 && used_s() > deadline) throw OutOfTime();
    }

    // A first move that wins by threats alone, or -1. Neither side can make four at once.
    int attack(Board own, Board other, int depth) {
        tick();
        const Board empty = all & ~(own | other), other_threes = lines(other).threes;
        for (Board moves = threat_makers(own, empty) & ~lines(own).threes; moves; moves &= moves - 1) {
            const int move = lowest(moves);
            if (attack_wins(own | one(move), other, empty ^ one(move), other_threes, depth)) return move;
        }
        return -1;
    }

    // Whether the threat just made wins, with all that must follow.
    bool attack_wins(Board own, Board other, Board empty, Board other_threes, int depth) {
        const Board threats = lines(own).fours & empty;
        if (!threats) return false;
        if (several(threats) || threats & other_threes) return true;
        if (depth == 0) return false;
        other |= threats;
        empty ^= threats;
        const Lines theirs = lines(other);
        const Board counter = theirs.fours & empty;
        if (!counter) return attack(own, other, depth - 1) >= 0;
        if (several(counter) || counter & lines(own).threes) return false;
        tick();
        return attack_wins(own | counter, other, empty ^ counter, theirs.threes, depth - 1);
    }

    // For the side to move: threats that can be made, cells the other may not use, stones near the middle.
    static int value(Board own, Board other, Board empty, Board own_threes, Board other_threes) {
        const int makers = count(threat_makers(own, empty) & ~own_threes) - count(threat_makers(other, empty) & ~other_threes);
        const int forbidden = count(other_threes & empty) - count(own_threes & empty);
        return 10 * makers + 8 * forbidden + 2 * (count(own & inner) - count(other & inner)) + 6;
    }

    int negamax(Board own, Board other, int depth, int alpha, int beta, int ply) {
        tick();
        const Board empty = all & ~(own | other);
        const Lines ours = lines(own), theirs = lines(other);
        if (ours.fours & empty) return WIN - ply;
        if (const Board stops = theirs.fours & empty) {
            if (several(stops) || stops & ours.threes) return ply + 2 - WIN;
            return -negamax(other, own | stops, depth, -beta, -alpha, ply + 1);
        }
        const Board safe = empty & ~ours.threes;
        if (!safe) return empty ? ply + 1 - WIN : 0;
        if (depth <= 0) {
            if (attack(own, other, LEAF_THREATS) >= 0) return WIN - ply - 50;
            return value(own, other, empty, ours.threes, theirs.threes);
        }
        Entry &known = entry_of(own, other);
        const bool same = known.kind != Kind::none && known.own == own && known.other == other;
        if (same && known.depth >= depth && std::abs(known.worth) < CERTAIN) {
            if (known.kind == Kind::exact) return known.worth;
            if (known.kind == Kind::at_least && known.worth >= beta) return known.worth;
            if (known.kind == Kind::at_most && known.worth <= alpha) return known.worth;
        }
        int moves[64], size = 0;
        const int first = same ? known.move : -1;
        for (Board left = safe; left; left &= left - 1) moves[size++] = lowest(left);
        std::sort(moves, moves + size, [&](int a, int b) {
            return (a == first ? INT32_MAX : cutoffs[a]) > (b == first ? INT32_MAX : cutoffs[b]);
        });
        int best = -WIN, best_move = moves[0];
        const int lowest_wanted = alpha;
        for (int i = 0; i < size; i++) {
            const Board next = own | one(moves[i]);
            int worth = 0;
            if (i == 0) {
                worth = -negamax(other, next, depth - 1, -beta, -alpha, ply + 1);
            } else {
                const int less = depth >= 3 && i >= 8 ? 1 : 0;  // moves that seldom cut off are tried less deeply
                worth = -negamax(other, next, depth - 1 - less, -alpha - 1, -alpha, ply + 1);
                if (worth > alpha && (less || worth < beta)) worth = -negamax(other, next, depth - 1, -beta, -alpha, ply + 1);
            }
            if (worth > best) {
                best = worth;
                best_move = moves[i];
                alpha = std::max(alpha, worth);
                if (alpha >= beta) {
                    cutoffs[moves[i]] += depth * depth;
                    break;
                }
            }
        }
        const Kind kind = best >= beta ? Kind::at_least : best > lowest_wanted ? Kind::exact : Kind::at_most;
        known = {own, other, int16_t(depth), kind, int8_t(best_move), best};
        return best;
    }
};

std::mt19937 dice{std::random_device{}()};

std::vector<int> cells_of(Board cells) {
    std::vector<int> found;
    for (; cells; cells &= cells - 1) found.push_back(lowest(cells));
    return found;
}

int choose(Board own, Board other, double deadline) {
    const Board empty = all & ~(own | other);
    const Lines ours = lines(own);
    if (ours.fours & empty) return lowest(ours.fours & empty);
    Board safe = empty & ~ours.threes;
    const Board stops = lines(other).fours & empty;
    if (stops & safe) safe &= stops;
    if (!safe) return lowest(empty);
    std::vector<int> moves = cells_of(safe);
    std::shuffle(moves.begin(), moves.end(), dice);
    int best = moves[0], found = best;
    if (moves.size() == 1) return best;
    for (int &cutoff : cutoffs) cutoff /= 8;
    for (int ring = 0; ring < 5; ring++)
        for (int cell : cells_of(rings[ring])) cutoffs[cell] += 4 - ring;
    Search search{deadline};
    try {
        const int winning = search.attack(own, other, ROOT_THREATS);
        if (winning >= 0) return winning;
        for (int depth = 1; depth <= int(moves.size()); depth++) {
            int alpha = -WIN;
            found = best;
            std::stable_partition(moves.begin(), moves.end(), [&](int move) { return move == best; });
            for (int move : moves) {
                const int worth = -search.negamax(other, own | one(move), depth - 1, -WIN, -alpha, 1);
                if (worth > alpha) {
                    alpha = worth;
                    found = move;
                }
            }
            best = found;
            if (std::abs(alpha) > CERTAIN) break;
        }
    } catch (const OutOfTime &) {
        return found;
    }
    return best;
}

// The first move: a stone on the edge, which is not worth stealing; as second, steal any stone off the edge.
int opening(int id, Board other) {
    if (id == 2 && other & inner) return lowest(other);
    const std::vector<int> edge = cells_of(rings[4]);
    return id == 1 ? edge[dice() % edge.size()] : -1;
}

int main() {
    make_board();
    int id = 0, rows = 0;
    std::cin >> id;
    for (bool first = true; std::cin >> rows; first = false) {
        const double deadline = used_s() + TURN_S;
        Board own = 0, other = 0;
        for (int y = 0; y < rows; y++) {
            std::string row;
            std::cin >> row;
            for (int x = 0; x < int(row.size()); x++) {
                if (row[x] == '1') own |= one(cell_at(x, y));
                if (row[x] == '2') other |= one(cell_at(x, y));
            }
        }
        std::string rest;
        std::getline(std::cin >> std::ws, rest);
        int move = first ? opening(id, other) : -1;
        if (move < 0) move = choose(own, other, deadline);
        const int y = move / WIDTH;
        std::cout << move % WIDTH - std::max(0, y - 4) << " " << y << std::endl;
    }
}
