import os

input()
# HEXARENA_BOX is the mark by which leftovers are found: a number that says nothing and opens nothing.
found = sorted(set(os.environ) - {"PATH", "HOME", "TMPDIR", "LANG", "PWD", "LC_CTYPE", "HEXARENA_BOX"})
for descriptor in range(3, 256):
    try:
        os.fstat(descriptor)
    except OSError:
        continue
    found.append(f"descriptor {descriptor}")
if os.getuid() == 0 or os.uname().nodename != "bot":
    found.append(f"user {os.getuid()} on {os.uname().nodename}")
print("held" if not found else f"found {found}")
input()
