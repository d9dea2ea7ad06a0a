// The parent of a vfork sleeps where no signal but SIGKILL wakes it, until its child ends; the child answers and stays.
#include <cstdio>
#include <cstring>
#include <unistd.h>

int main() {
    char line[4096];
    if (!fgets(line, sizeof line, stdin)) return 1;
    const pid_t child = vfork();
    if (child < 0) perror("vfork");
    if (child == 0) {
        write(1, "held\n", 5);
        while (read(0, line, sizeof line) > 0) write(1, "held\n", 5);
        for (;;) pause();
    }
}
