input()
print("first")
input()
raise SystemExit(0)
