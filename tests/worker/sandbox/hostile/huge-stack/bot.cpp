// Recursion without end, after asking for a larger stack.
#include <cstdio>
#include <sys/resource.h>

static long deeper(long depth) {
    volatile char room[4096];
    room[depth % 4096] = 1;
    return deeper(depth + 1) + room[depth % 4096];
}

int main() {
    char line[4096];
    if (!fgets(line, sizeof line, stdin)) return 1;
    const rlimit more = {1ul << 40, 1ul << 40};
    printf("%s\n", setrlimit(RLIMIT_STACK, &more) ? "held" : "has a larger stack");
    fflush(stdout);
    fgets(line, sizeof line, stdin);
    printf("%ld\n", deeper(0));
}
