import os
import sys

input()
written = []
new = [f"{folder}/{sys.argv[-1]}" for folder in ("", "/bot", "/usr", "/usr/bin", "/etc", "/dev", "/lib")]
for path in (*new, "/bot/bot.py", "/usr/bin/python3"):
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o666))
        written.append(path)
    except OSError:
        pass
for attempt in (lambda: os.chmod("/bot/bot.py", 0o777), lambda: os.unlink("/bot/bot.py"), lambda: os.symlink("/", "/bot/y")):
    try:
        attempt()
        written.append("changed /bot")
    except OSError:
        pass
open(f"/tmp/{sys.argv[-1]}", "w").close()
print("held" if not written else f"wrote {written}")
input()
