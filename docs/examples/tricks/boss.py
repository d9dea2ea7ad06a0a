seats, me = map(int, input().split())
hand = list(map(int, input().split()))
seen = set(hand)

while True:
    others = max(seen)
    best = max(hand)
    print(best if best >= others - seats else min(hand), flush=True)
    seen |= set(map(int, input().split()))
    hand = list(map(int, input().split()))
    seen |= set(hand)
