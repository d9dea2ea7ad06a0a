// A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.
// It speaks the line protocol of the rules page: a block of lines for each call, one line back.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 25
#define MIDDLE 12
#define DIRECTIONS 8

static const int ways[DIRECTIONS] = {1, 2, 3, 4, 6, 7, 8, 9};  // 5 is the bot itself

// The cells around me: '0' dead, '1' alive, '2' to '5' one of us, 'x' an opponent.
static char view[SIDE][SIDE + 1];

static char beside(int x, int y, int way) { return view[y + (way - 1) / 3 - 1][x + (way - 1) % 3 - 1]; }

// How many of the eight neighbours are alive. Bots count as alive.
static int live_neighbours(int x, int y) {
    int alive = 0;
    for (int i = 0; i < DIRECTIONS; i++) alive += beside(x, y, ways[i]) != '0';
    return alive;
}

// Prints actions, and perhaps a message.
static void choose(void) {
    int alive = live_neighbours(MIDDLE, MIDDLE);
    if (alive == 2 || alive == 3) return;  // the generation at the end of this turn will not hurt

    // Step to a dead cell where it will not hurt. My own cell is dead once I have left it, so it counts no more.
    for (int i = 0; i < DIRECTIONS; i++) {
        int way = ways[i];
        if (beside(MIDDLE, MIDDLE, way) != '0') continue;
        int after = live_neighbours(MIDDLE + (way - 1) % 3 - 1, MIDDLE + (way - 1) / 3 - 1) - 1;
        if (after == 2 || after == 3) {
            printf("%d say 4", way);  // 4 means: come here
            return;
        }
    }

    // There is none. Alone? Then wake up neighbours until there are three.
    int missing = 3 - alive;
    for (int i = 0; i < DIRECTIONS && missing > 0; i++)
        if (beside(MIDDLE, MIDDLE, ways[i]) == '0') {
            printf("-%d ", ways[i]);
            missing--;
        }
}

int main(void) {
    int number = 0, size = 0;  // mine, 2 to 5; the board's
    char call[16];
    while (scanf("%15s", call) == 1) {
        if (strcmp(call, "init") == 0) {
            scanf("%d %d", &number, &size);
            char *row = malloc(size + 1);
            char format[16];
            snprintf(format, sizeof format, "%%%ds", size);
            for (int y = 0; y < size; y++) scanf(format, row);  // the board before anybody is on it
            free(row);
            printf("ok\n");
        } else if (strcmp(call, "parachute") == 0) {  // ten times: where do I land?
            int turn, x = -1, y = -1;
            scanf("%d", &turn);
            for (int i = 0; i < 4; i++) {  // what each of us said last, or -1 -1
                int mate, mate_x, mate_y;
                scanf("%d %d %d", &mate, &mate_x, &mate_y);
                if (x < 0) x = mate_x, y = mate_y;
            }
            if (x < 0) x = y = size / 2;
            printf("%d %d\n", x, y);
        } else {  // 25 times start, while nothing lives or dies; then main, each turn until the end
            int is_main = strcmp(call, "main") == 0;
            int turn, hp = 4, x, y, living = 0, messages;
            scanf("%d", &turn);
            if (is_main) scanf("%d", &hp);
            scanf("%d %d", &x, &y);  // where I am on the board
            for (int row = 0; row < SIDE; row++) scanf("%25s", view[row]);
            if (is_main) scanf("%d", &living);
            for (int i = 0; i < living; i++) {  // of us who live
                int mate, mate_x, mate_y;
                scanf("%d %d %d", &mate, &mate_x, &mate_y);
            }
            scanf("%d", &messages);
            for (int i = 0; i < messages; i++) {  // since last turn
                int author;
                char text[200];
                scanf("%d", &author);
                fgets(text, sizeof text, stdin);
            }
            if (is_main) choose();
            printf("\n");
        }
    }
}

// Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
// look ahead: play a generation of Life on the view for each thing that you could do, and do what hurts least.
