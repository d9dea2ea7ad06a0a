import ctypes

input()
PR_SET_PDEATHSIG = 1
worked = ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0) == 0
print("held" if not worked else "cleared the signal")
input()
