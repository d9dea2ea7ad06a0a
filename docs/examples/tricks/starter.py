seats, me = map(int, input().split())
hand = list(map(int, input().split()))

while True:
    # Plays any card. Which of them takes the trick?
    print(hand[0], flush=True)
    trick = list(map(int, input().split()))
    hand = list(map(int, input().split()))
