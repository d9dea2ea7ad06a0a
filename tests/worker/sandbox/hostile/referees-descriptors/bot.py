import os

input()
written = []
for descriptor in range(3, 1024):
    for attempt in (lambda: os.write(descriptor, b"cheat\n"), lambda: os.read(descriptor, 1), lambda: os.dup(descriptor)):
        try:
            attempt()
            written.append(descriptor)
        except OSError:
            pass
for descriptor, attempt in ((0, lambda: os.write(0, b"cheat\n")), (1, lambda: os.read(1, 1)), (2, lambda: os.read(2, 1))):
    try:
        attempt()
        written.append(descriptor)
    except OSError:
        pass
print("held" if not written else f"used {written}")
input()
