// A first Tron bot: it rides to a random free cell. Read, change, win.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WIDTH 30
#define HEIGHT 20
#define NOBODY -1

const char *NAMES[] = {"UP", "DOWN", "LEFT", "RIGHT"};
const int DX[] = {0, 0, -1, 1}, DY[] = {-1, 1, 0, 0};

int main(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    srand(now.tv_nsec);
    int trails[HEIGHT][WIDTH];  // whose trail is there
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) trails[y][x] = NOBODY;

    int player_count, me;
    while (scanf("%d %d", &player_count, &me) == 2) {
        int my_x = 0, my_y = 0;
        for (int player = 0; player < player_count; player++) {
            int x0, y0, x, y;  // where its trail begins, and where it is now
            scanf("%d %d %d %d", &x0, &y0, &x, &y);
            if (x == -1) {  // it is out, and its trail is gone
                for (int row = 0; row < HEIGHT; row++)
                    for (int column = 0; column < WIDTH; column++)
                        if (trails[row][column] == player) trails[row][column] = NOBODY;
            } else {
                trails[y0][x0] = trails[y][x] = player;
            }
            if (player == me) my_x = x, my_y = y;
        }

        int ways[4], way_count = 0;
        for (int way = 0; way < 4; way++) {
            int x = my_x + DX[way], y = my_y + DY[way];
            if (0 <= x && x < WIDTH && 0 <= y && y < HEIGHT && trails[y][x] == NOBODY) ways[way_count++] = way;
        }
        printf("%s\n", way_count ? NAMES[ways[rand() % way_count]] : "UP");
        fflush(stdout);

        // Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from
        // there, and take the way with the most.
    }
}
