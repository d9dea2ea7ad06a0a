// As above, but the child spins.
#include <cstdio>
#include <unistd.h>

int main() {
    char line[4096];
    if (!fgets(line, sizeof line, stdin)) return 1;
    puts("ready");
    fflush(stdout);
    fgets(line, sizeof line, stdin);
    const pid_t child = vfork();
    if (child < 0) perror("vfork");
    if (child == 0)
        for (volatile long turn = 0;; turn = turn + 1) {}
}
