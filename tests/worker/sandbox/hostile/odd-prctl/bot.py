import ctypes

libc = ctypes.CDLL(None, use_errno=True)
PR_TASK_PERF_EVENTS_DISABLE, PR_MCE_KILL, PR_SET_SPECULATION_CTRL = 31, 33, 53
PR_MCE_KILL_SET, PR_MCE_KILL_EARLY, PR_SPEC_INDIRECT_BRANCH, PR_SPEC_DISABLE = 1, 1, 1, 4
input()
asked = {
    "memory errors": (PR_MCE_KILL, PR_MCE_KILL_SET, PR_MCE_KILL_EARLY, 0, 0),
    "performance counters": (PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0),
    "speculation": (PR_SET_SPECULATION_CTRL, PR_SPEC_INDIRECT_BRANCH, PR_SPEC_DISABLE, 0, 0),
}
worked = [name for name, arguments in asked.items() if libc.prctl(*map(ctypes.c_ulong, arguments)) == 0]
print("held" if not worked else f"{worked}")
input()
