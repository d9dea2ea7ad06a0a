/* What a match costs without an arena: two bots, bare pipes, one loop. `hexarena bench runner` shows it for comparison.

   pipes MATCHES TURNS PROMPT_LINES COMMAND...
   Each turn both bots are sent the prompt, one after the other, and answer with a line. Prints a line a match:
   CPU microseconds of this process, of both bots, and the median of a turn of one bot on the wall clock, in ns. */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SEATS = 2 };

struct bot {
    pid_t pid;
    int input, output;
};

static struct bot start(char **command) {
    int to_bot[2], from_bot[2];
    if (pipe2(to_bot, 02000000) || pipe2(from_bot, 02000000)) exit(1); /* O_CLOEXEC */
    pid_t pid = vfork();
    if (pid < 0) exit(1);
    if (pid == 0) {
        dup2(to_bot[0], 0);
        dup2(from_bot[1], 1);
        execvp(command[0], command);
        _exit(127);
    }
    close(to_bot[0]);
    close(from_bot[1]);
    return (struct bot){pid, to_bot[1], from_bot[0]};
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static long used_us(int whose) {
    struct rusage usage;
    getrusage(whose, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000L + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

static void ask(struct bot bot, const char *prompt, size_t length) {
    char reply[4096];
    struct pollfd wanted = {bot.output, POLLIN, 0};
    if (write(bot.input, prompt, length) != (ssize_t)length) exit(2);
    for (ssize_t count = 0; count == 0 || reply[count - 1] != '\n';) {
        if (poll(&wanted, 1, 5000) != 1) exit(3);
        count = read(bot.output, reply, sizeof reply);
        if (count <= 0) exit(4);
    }
}

static int compare(const void *one, const void *other) {
    long long a = *(const long long *)one, b = *(const long long *)other;
    return (a > b) - (a < b);
}

int main(int count, char **words) {
    if (count < 5) return 1;
    int matches = atoi(words[1]), turns = atoi(words[2]), lines = atoi(words[3]), asked = SEATS * (turns - 1);
    char *prompt = calloc(lines + 1, 16);
    long long *times = calloc(asked + 1, sizeof *times);
    for (int line = 0; line < lines; line++) sprintf(prompt + strlen(prompt), "%09d\n", line);
    signal(SIGPIPE, SIG_IGN);
    for (int match = 0; match < matches; match++) {
        long own = used_us(RUSAGE_SELF), theirs = used_us(RUSAGE_CHILDREN);
        struct bot bots[SEATS];
        for (int seat = 0; seat < SEATS; seat++) bots[seat] = start(words + 4);
        for (int turn = 0, index = 0; turn < turns; turn++)
            for (int seat = 0; seat < SEATS; seat++) {
                long long began = now();
                ask(bots[seat], prompt, strlen(prompt));
                if (turn > 0) times[index++] = now() - began;
            }
        for (int seat = 0; seat < SEATS; seat++) {
            kill(bots[seat].pid, SIGKILL);
            waitpid(bots[seat].pid, NULL, 0);
            close(bots[seat].input);
            close(bots[seat].output);
        }
        qsort(times, asked, sizeof *times, compare);
        printf("%ld %ld %lld\n", used_us(RUSAGE_SELF) - own, used_us(RUSAGE_CHILDREN) - theirs, times[asked / 2]);
    }
    return 0;
}
