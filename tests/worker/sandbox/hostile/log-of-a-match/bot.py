import sys

while True:
    input()
    print("y" * 150, file=sys.stderr)
    print("logged")
