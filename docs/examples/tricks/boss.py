seats, me = map(int, input().split())
hand = list(map(int, input().split()))

while True:
    print(max(hand), flush=True)
    trick = list(map(int, input().split()))
    hand = list(map(int, input().split()))
