// A first Ants bot: a line of beacons from its base to the three nearest resources. Read, change, win.
#include <stdio.h>

#define MOST_CELLS 200
#define MOST_BASES 2

int main(void) {
    // The map, once.
    int cell_count, kinds[MOST_CELLS], neighbours[MOST_CELLS][6];  // kinds: 0 nothing, 1 eggs, 2 crystal
    scanf("%d", &cell_count);
    for (int cell = 0; cell < cell_count; cell++) {
        int amount;
        scanf("%d %d", &kinds[cell], &amount);
        for (int way = 0; way < 6; way++) scanf("%d", &neighbours[cell][way]);  // -1: there is no cell
    }
    int base_count, my_bases[MOST_BASES], opponent_bases[MOST_BASES];
    scanf("%d", &base_count);
    for (int base = 0; base < base_count; base++) scanf("%d", &my_bases[base]);
    for (int base = 0; base < base_count; base++) scanf("%d", &opponent_bases[base]);
    while (getchar() != '\n') {
    }

    // Steps from my first base to each cell.
    int distances[MOST_CELLS], queue[MOST_CELLS], queued = 1;
    for (int cell = 0; cell < cell_count; cell++) distances[cell] = -1;
    queue[0] = my_bases[0];
    distances[my_bases[0]] = 0;
    for (int next = 0; next < queued; next++)
        for (int way = 0; way < 6; way++) {
            int near = neighbours[queue[next]][way];
            if (near < 0 || distances[near] >= 0) continue;
            distances[near] = distances[queue[next]] + 1;
            queue[queued++] = near;
        }

    for (char line[100]; fgets(line, sizeof line, stdin);) {
        int first[3], my_points = 0, opponent_points = 0;
        if (sscanf(line, "%d %d %d", &first[0], &first[1], &first[2]) == 2) {  // the points; only in the full game
            my_points = first[0], opponent_points = first[1];
            fgets(line, sizeof line, stdin);
        }
        (void)my_points, (void)opponent_points;
        int resources[MOST_CELLS], my_ants[MOST_CELLS], opponent_ants[MOST_CELLS];
        for (int cell = 0; cell < cell_count; cell++) {
            if (cell > 0) fgets(line, sizeof line, stdin);
            sscanf(line, "%d %d %d", &resources[cell], &my_ants[cell], &opponent_ants[cell]);
        }

        int taken[MOST_CELLS] = {0}, lines = 0;
        for (; lines < 3; lines++) {
            int target = -1;
            for (int cell = 0; cell < cell_count; cell++)
                if (resources[cell] > 0 && !taken[cell] && (target < 0 || distances[cell] < distances[target])) target = cell;
            if (target < 0) break;
            taken[target] = 1;
            printf("%sLINE %d %d 1", lines ? ";" : "", my_bases[0], target);
        }
        printf(lines ? "\n" : "WAIT\n");

        // Where to start: ants are spread over all beacons, so long lines are thin ones, and a chain harvests no more
        // than its thinnest cell. Take eggs first while there are few ants; then let one line begin where another ends.
    }
}
