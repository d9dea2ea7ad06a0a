"""The worker container's seccomp profile: which system calls it may make, group by group, each with its reason.

Run it to write `docker/worker-seccomp.json` anew; `--check` only compares. Theory of operation: an allow-list. What the
worker, the compilers, the languages' runtimes and bubblewrap call is allowed; what somebody looked at and nobody
here needs answers EPERM, as without the right to it; all else, above all calls newer than these tables, answers ENOSYS,
as on an older kernel, so that libraries take their older ways. The bots' own filter (worker/sandbox/seccomp.py)
applies on top of this one and is narrower: it denies what only bubblewrap and the worker need.

Source: docs.docker.com/engine/security/seccomp for the format; the kernel's tables of calls up to Linux 6.17 for
x86-64 and aarch64; strace of bubblewrap 0.8 for what it needs.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

PROFILE = Path(__file__).parents[1] / "docker" / "worker-seccomp.json"
MACHINES = ("SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64")
"""Each alone: 32-bit and x32 programs end at once, since their calls have other numbers."""

EPERM, ENOSYS = 1, 38
CLONE_NEWUSER = 0x1000_0000
ALL_NAMESPACES = 0x7E02_0000
"""CLONE_NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET"""
SCHED_OTHER = 0
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16}

ALLOWED = {
    "Files and folders: the usual rights apply, and the container's root is read-only.": """
        access faccessat faccessat2 chdir fchdir getcwd chmod fchmod fchmodat fchmodat2 chown fchown fchownat lchown
        close close_range copy_file_range creat dup dup2 dup3 fadvise64 fallocate fcntl fdatasync flock fstat fstatfs
        fsync ftruncate getdents getdents64 getxattr fgetxattr lgetxattr listxattr flistxattr llistxattr ioctl link
        linkat lseek lstat mkdir mkdirat mknod mknodat newfstatat open openat openat2 pread64 preadv preadv2 pwrite64
        pwritev pwritev2 read readahead readlink readlinkat readv rename renameat renameat2 rmdir sendfile stat statfs
        statx symlink symlinkat sync_file_range truncate umask unlink unlinkat utime utimensat utimes futimesat write
        writev
        """,
    "Waiting: pipes, polls, events, timers on descriptors.": """
        epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 pipe pipe2 poll ppoll
        pselect6 select signalfd signalfd4 timerfd_create timerfd_gettime timerfd_settime
        """,
    "Memory of the process itself. memfd_create: anonymous files, as good as shared memory, which all have.": """
        brk madvise membarrier memfd_create mincore mlock mlock2 mlockall mmap mprotect mremap mseal msync munlock
        munlockall munmap pkey_alloc pkey_free pkey_mprotect get_mempolicy
        """,
    "Processes and threads, their signals and identities. Without capabilities set*id can only go back and forth.": """
        arch_prctl capget capset execve execveat exit exit_group fork getegid geteuid getgid getgroups getpgid getpgrp
        getpid getppid getpriority getresgid getresuid getrlimit getrusage getsid gettid getuid kill pause
        pidfd_open pidfd_send_signal prctl prlimit64 restart_syscall rt_sigaction rt_sigpending rt_sigprocmask
        rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo setfsgid setfsuid setgid
        setgroups setpgid setregid setresgid setresuid setreuid setrlimit setsid setuid sigaltstack tgkill tkill vfork
        wait4 waitid
        """,
    "Threads waiting for each other; which core they run on, which the worker chooses for its bots.": """
        futex futex_requeue futex_wait futex_waitv futex_wake get_robust_list get_thread_area getcpu rseq
        sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler
        sched_rr_get_interval sched_setaffinity sched_yield set_robust_list set_thread_area set_tid_address
        """,
    "Clocks, read but never set; timers; chance; what the machine says about itself.": """
        alarm clock_getres clock_gettime clock_nanosleep getitimer getrandom gettimeofday nanosleep setitimer sysinfo
        time timer_create timer_delete timer_getoverrun timer_gettime timer_settime times uname
        """,
    "Sockets that exist: to the database and the broker, and the self-test's own.": """
        accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg sendmmsg
        sendmsg sendto setsockopt shutdown
        """,
    "Programs may narrow themselves: bubblewrap loads the bots' filter so, or by prctl.": "seccomp",
    "bubblewrap: a sandbox's root. Only who holds capabilities in a user namespace of its own can do any of these.": """
        mount pivot_root sethostname umount2
        """,
}

WITHHELD = {
    "Reading and steering other processes.": """
        kcmp pidfd_getfd process_madvise process_mrelease process_vm_readv process_vm_writev ptrace
        """,
    "Mounts and namespaces in ways that bubblewrap does not use.": """
        chroot fsconfig fsmount fsopen fspick listmount mount_setattr move_mount open_tree open_tree_attr setns
        statmount
        """,
    "Large parts of the kernel with a history of holes. io_uring also does calls that no filter sees.": """
        add_key bpf fanotify_init fanotify_mark inotify_add_watch inotify_init inotify_init1 inotify_rm_watch
        io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit io_uring_enter io_uring_register
        io_uring_setup keyctl landlock_add_rule landlock_create_ruleset landlock_restrict_self map_shadow_stack
        memfd_secret modify_ldt perf_event_open personality request_key splice tee uprobe uretprobe userfaultfd
        vmsplice
        """,
    "System V and POSIX queues, semaphores and shared memory.": """
        mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd semctl
        semget semop semtimedop shmat shmctl shmdt shmget
        """,
    "The machine's own affairs: modules, clocks, swap, quotas, names, ports, all disks at once.": """
        acct adjtimex clock_adjtime clock_settime delete_module finit_module init_module ioperm iopl kexec_file_load
        kexec_load lookup_dcookie name_to_handle_at nfsservctl open_by_handle_at quotactl quotactl_fd reboot
        setdomainname settimeofday swapoff swapon sync syncfs syslog vhangup
        """,
    "Urgency of processes and places of memory.": """
        ioprio_get ioprio_set mbind migrate_pages move_pages sched_setattr sched_setparam set_mempolicy
         set_mempolicy_home_node setpriority
        """,
    "Attributes of files and of security modules; what is in the page cache.": """
        cachestat file_getattr file_setattr fremovexattr fsetxattr lremovexattr lsetxattr lsm_get_self_attr
        lsm_list_modules lsm_set_self_attr removexattr setxattr
        """,
    "Calls that the kernel keeps only for programs of long ago.": """
        _sysctl remap_file_pages sysfs uselib ustat
        """,
}

Rule = dict[str, object]


def rule(
    reason: str, names: list[str], *, error: int | None = None, argument: tuple[int, str, int, int] | None = None
) -> Rule:
    """One entry of the profile. error: answered instead of the call. argument: (index, test, value, second value)."""
    made: Rule = {"names": names, "action": "SCMP_ACT_ALLOW" if error is None else "SCMP_ACT_ERRNO"}
    if error is not None:
        made["errnoRet"] = error
    if argument is not None:
        index, test, value, second = argument
        made["args"] = [{"index": index, "value": value, "valueTwo": second, "op": test}]
    return {**made, "comment": reason}


def profile() -> dict[str, object]:
    """The profile as Docker and Podman read it."""
    rules = [rule(reason, sorted(names.split())) for reason, names in ALLOWED.items()]
    rules.append(
        rule(
            "Processes and threads without namespaces.",
            ["clone"],
            argument=(0, "SCMP_CMP_MASKED_EQ", ALL_NAMESPACES, 0),
        )
    )
    rules.append(
        rule(
            "bubblewrap: namespaces, but none without a user namespace that owns it.",
            ["clone"],
            argument=(0, "SCMP_CMP_MASKED_EQ", CLONE_NEWUSER, CLONE_NEWUSER),
        )
    )
    rules.append(
        rule(
            "bubblewrap: a second user namespace, in which a sandbox has no rights over the first.",
            ["unshare"],
            argument=(0, "SCMP_CMP_EQ", CLONE_NEWUSER, 0),
        )
    )
    why = "Threads that ask for what they have already, as Mono's do. Any other policy is not for the worker."
    rules.append(rule(why, ["sched_setscheduler"], argument=(1, "SCMP_CMP_EQ", SCHED_OTHER, 0)))
    for family, number in FAMILIES.items():
        why = "bubblewrap: a sandbox's loopback." if family == "AF_NETLINK" else "Database, broker, host names."
        rules.append(rule(f"{family}. {why}", ["socket"], argument=(0, "SCMP_CMP_EQ", number, 0)))
    pairs = "Pairs, between processes of one tree. Asking for another family would load its module."
    rules.append(rule(pairs, ["socketpair"], argument=(0, "SCMP_CMP_EQ", FAMILIES["AF_UNIX"], 0)))
    rules += [rule(reason, sorted(names.split()), error=EPERM) for reason, names in WITHHELD.items()]
    # Stated explicitly, because Docker 20.10 knows no other error for what is not listed than EPERM, which the
    # libraries would take as final: no program could start a thread.
    rules.append(rule("A filter cannot read its flags: libraries take clone instead.", ["clone3"], error=ENOSYS))
    return {
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": ENOSYS,
        "archMap": [{"architecture": machine, "subArchitectures": []} for machine in MACHINES],
        "syscalls": rules,
    }


def main() -> None:
    """Writes the file, or with --check says by its exit code whether it is up to date."""
    text = json.dumps(profile(), indent=2) + "\n"
    if "--check" not in sys.argv[1:]:
        PROFILE.write_text(text)
    elif PROFILE.read_text() != text:
        sys.exit(f"expected {PROFILE} to be up to date; run python scripts/seccomp_profile.py")


if __name__ == "__main__":
    main()
