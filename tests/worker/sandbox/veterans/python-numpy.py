import numpy as np

while True:
    turn = int(input())
    print("REPLY", int(np.full(3, turn).max()))
