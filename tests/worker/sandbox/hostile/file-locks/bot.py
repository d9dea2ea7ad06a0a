import fcntl

input()
taken = []
for path in ("/usr/bin/env", "/usr/bin/python3", "/etc/ld.so.cache"):
    with open(path, "rb") as file:
        try:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            taken.append(path)
        except OSError:
            pass
print("held" if not taken else f"a lease on {taken}")
input()
