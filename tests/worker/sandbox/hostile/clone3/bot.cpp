// A filter cannot read clone3's flags, which lie in memory: the call is missing altogether.
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

int main() {
    char line[4096];
    if (!fgets(line, sizeof line, stdin)) return 1;
    uint64_t arguments[8] = {0x10000000 /* CLONE_NEWUSER */, 0, 0, 0, SIGCHLD, 0, 0, 0};
    const long child = syscall(435, arguments, sizeof arguments);
    const int why = errno;
    if (child == 0) _exit(0);
    if (child > 0) waitpid(static_cast<pid_t>(child), nullptr, 0);
    if (child < 0 && why == ENOSYS) puts("held");
    else printf("clone3: %ld, errno %d\n", child, why);
    fflush(stdout);
    fgets(line, sizeof line, stdin);
}
