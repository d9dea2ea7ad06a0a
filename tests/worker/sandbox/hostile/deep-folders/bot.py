import os

input()
os.chdir("/tmp")
try:
    for _ in range(3000):
        os.mkdir("x" * 250)
        os.chdir("x" * 250)
except OSError:
    pass
print("held")
input()
