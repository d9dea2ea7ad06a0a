// A first Yavalath bot: it plays a random empty cell. Read, change, win.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SIDE 9

int main(void) {
    int my_id, row_count;
    scanf("%d", &my_id);  // 1 if you begin, 2 if your opponent does
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    srand(now.tv_nsec);

    while (scanf("%d", &row_count) == 1) {  // always 9
        char rows[SIDE][SIDE + 1];          // 0 empty, 1 your stone, 2 your opponent's
        for (int y = 0; y < row_count; y++) scanf("%9s", rows[y]);
        int last_x, last_y;  // your opponent's last move; -1 -1 if you begin
        scanf("%d %d", &last_x, &last_y);

        int empty_x[SIDE * SIDE], empty_y[SIDE * SIDE], empty_count = 0;
        for (int y = 0; y < row_count; y++)
            for (int x = 0; rows[y][x]; x++)
                if (rows[y][x] == '0') {
                    empty_x[empty_count] = x;
                    empty_y[empty_count++] = y;
                }
        int chosen = rand() % empty_count;
        printf("%d %d hello\n", empty_x[chosen], empty_y[chosen]);

        // Where to start: a random cell may complete a line of 3, and that loses. Look along the three directions
        // from each empty cell, leave out the cells that make a 3, and take the one that makes a 4.
    }
}
