// The 32-bit entry of an x86-64 kernel: other numbers, which a filter for 64 bits would misread. 20 is getpid there.
#include <cstdio>

int main() {
    char line[4096];
    if (!fgets(line, sizeof line, stdin)) return 1;
    long result = 20;
#if defined(__x86_64__)
    asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
#else
    __builtin_trap();
#endif
    printf("worked: %ld\n", result);
    fflush(stdout);
}
