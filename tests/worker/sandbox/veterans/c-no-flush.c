// Prompts and replies wait for ever in a pipe, unless the arena sends each line.
#include <stdio.h>

int main(void) {
    int turn;
    while (scanf("%d", &turn) == 1) {
        fprintf(stderr, "turn %d\n", turn);
        printf("REPLY %d\n", turn);
    }
}
