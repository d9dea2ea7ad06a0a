import json
import os

place = json.loads(input())["files"]["secret"]
seen = []
for path in (place, "/proc/1/root" + place, "/bot/../../.." + place, "/tmp/.." + place):
    if os.path.exists(path):
        seen.append(path)
print("held" if not seen else f"saw {seen}"[:900])
input()
