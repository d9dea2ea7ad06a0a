// The raw call, since libraries hide it: fork-like clones that ask for new namespaces.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main() {
    char line[4096];
    if (!fgets(line, sizeof line, stdin)) return 1;
    const unsigned long asked[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC,
                                   CLONE_NEWUTS, CLONE_NEWCGROUP, CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS};
    unsigned long made = 0;
    for (unsigned long flags : asked) {
        const long child = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
        if (child == 0) _exit(0);
        if (child > 0 || errno != EPERM) made |= flags;
        if (child > 0) waitpid(static_cast<pid_t>(child), nullptr, 0);
    }
    const long plain = syscall(SYS_clone, static_cast<unsigned long>(SIGCHLD), 0, 0, 0, 0);
    if (plain == 0) _exit(0);
    const bool single = strstr(line, "\"single\": true") != nullptr;
    if (made) printf("made %#lx\n", made);
    else printf("%s\n", (plain > 0) != single ? "held" : "cannot even fork");
    fflush(stdout);
    fgets(line, sizeof line, stdin);
}
