import json
import os

place = json.loads(input())["files"]["opponent"]
seen = []
for path in (place, "/proc/1/root" + place, "/bot/../../.." + place, "/tmp/.." + place):
    if os.path.exists(path):
        seen.append(path)
seen += sorted(set(os.listdir(os.path.dirname(__file__))) - {"bot.py", ".start.pyc"})
print("held" if not seen else f"saw {seen}"[:900])
input()
