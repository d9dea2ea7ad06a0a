"""A first TryAngle Catch bot: three units walk to the nearest triangle, again and again. Read, change, win."""


def read_numbers():
    return [int(word) for word in input().split()]


# The map, once.
house_count = int(input())
places = [read_numbers()[1:] for _ in range(house_count)]  # x, y


def distance(one, other):
    """The square of the straight way between two houses."""
    (x, y), (to_x, to_y) = places[one], places[other]
    return (x - to_x) ** 2 + (y - to_y) ** 2


while True:
    my_score, opponent_score = read_numbers()
    my_units, opponent_units = [], []
    for _ in range(house_count):
        house, mine, others = read_numbers()
        my_units.append(mine)
        opponent_units.append(others)
    paths = [read_numbers() for _ in range(int(input()))]
    triangles = [read_numbers() for _ in range(int(input()))]  # three corners, owner, may I capture, may they
    linkable = [read_numbers() for _ in range(int(input()))]  # paths that could be added

    commands = []
    units = [house for house in range(house_count) for _ in range(my_units[house])]  # the house of each unit

    # A new unit, while there are few.
    mine = [corners for *corners, owner, _, _ in triangles if owner == 0]
    if mine and len(units) < 6:
        a, b, c = mine[0]
        commands.append(f"SPAWN {a} {b} {c}")

    # The nearest triangle to capture; to each of its corners goes the nearest unit.
    wanted = [corners for *corners, owner, i_may, _ in triangles if owner != 0 and i_may]
    if wanted and units:
        target = min(
            wanted, key=lambda corners: sum(min(distance(unit, corner) for unit in units) for corner in corners)
        )
        for corner in target:
            if units:
                unit = min(units, key=lambda unit: distance(unit, corner))
                units.remove(unit)
                if unit != corner:
                    commands.append(f"MOVE {unit} {corner} 1")
    print(";".join(commands or ["WAIT"]), flush=True)

    # Where to start: more than three units never walk; let them capture other triangles at the same time. A straight
    # way is not always the shortest one along the paths. And look where the opponent stands before you go there.
