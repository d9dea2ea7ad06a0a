import os
import sys
import threading
import time

# The second thread executes a program: it takes the first one's number, and its clock with it.
if "again" not in sys.argv:
    input()
    end = time.process_time() + 0.15
    while time.process_time() < end:
        pass
    answers = "print('held'); input(); input()"
    threading.Thread(target=os.execv, args=("/usr/bin/python3", ["python3", "-I", "-S", "-u", "-c", answers, "again"])).start()
    threading.Event().wait()
