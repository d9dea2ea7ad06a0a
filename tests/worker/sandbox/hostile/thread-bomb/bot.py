import threading

input()
end = threading.Event()
made = 0
try:
    while made < 1000:
        threading.Thread(target=end.wait, daemon=True).start()
        made += 1
except RuntimeError:
    pass
print("held" if made < 64 else f"made {made} threads")
input()
