seats, me = map(int, input().split())
hand = list(map(int, input().split()))

while True:
    # Saves its high cards for later. Which card takes a trick now?
    print(min(hand), flush=True)
    trick = list(map(int, input().split()))
    hand = list(map(int, input().split()))
