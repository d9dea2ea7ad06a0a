import threading
import time

input()
print("ready")
input()


def work():
    end = time.thread_time() + 0.005
    while time.thread_time() < end:
        pass


while True:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
