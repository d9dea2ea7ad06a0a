"""A first Ants bot: a line of beacons from its base to the three nearest resources. Read, change, win."""


def read_numbers():
    return [int(word) for word in input().split()]


# The map, once.
cell_count = int(input())
kinds = []  # 0 nothing, 1 eggs, 2 crystal
neighbours = []  # of each cell: up to six other cells
for _ in range(cell_count):
    kind, amount, *around = read_numbers()
    kinds.append(kind)
    neighbours.append([cell for cell in around if cell != -1])
base_count = int(input())
my_bases = read_numbers()
opponent_bases = read_numbers()


def distances_from(start):
    """Steps from a cell to each other cell."""
    distances = {start: 0}
    queue = [start]
    for cell in queue:
        for near in neighbours[cell]:
            if near not in distances:
                distances[near] = distances[cell] + 1
                queue.append(near)
    return distances


distances = distances_from(my_bases[0])

while True:
    numbers = read_numbers()
    my_points = opponent_points = 0
    if len(numbers) == 2:  # the points; only in the full game
        my_points, opponent_points = numbers
        numbers = read_numbers()
    resources, my_ants, opponent_ants = [], [], []
    for cell in range(cell_count):
        if cell > 0:
            numbers = read_numbers()
        resources.append(numbers[0])
        my_ants.append(numbers[1])
        opponent_ants.append(numbers[2])

    targets = [cell for cell in range(cell_count) if resources[cell] > 0]
    targets.sort(key=lambda cell: distances[cell])
    commands = [f"LINE {my_bases[0]} {target} 1" for target in targets[:3]]
    print(";".join(commands or ["WAIT"]), flush=True)

    # Where to start: ants are spread over all beacons, so long lines are thin ones, and a chain harvests no more than
    # its thinnest cell. Take eggs first while there are few ants; then let one line begin where another one ends.
