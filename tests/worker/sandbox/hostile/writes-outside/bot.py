import os

input()
written = []
for path in ("/x", "/bot/x", "/bot/bot.py", "/usr/x", "/usr/bin/x", "/usr/bin/python3", "/etc/x", "/dev/x", "/lib/x"):
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
open("/tmp/mine", "w").close()
print("held" if not written else f"wrote {written}")
input()
