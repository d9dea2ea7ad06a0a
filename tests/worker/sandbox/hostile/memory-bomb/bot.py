print("ready")
input()
input()
taken = []
while True:
    taken.append(bytearray(b"x") * (1 << 20))
