import os
import threading

input()
print("ready")
input()
threading.Thread(target=lambda: [os.write(2, b"e" * 65536) for _ in range(1000000)], daemon=True).start()
while True:
    os.write(1, b"x" * 512)
