"""Settler: Striker without attacks, content with ten units. It sends two units to a corner with one guard, and spends a
triangle before it is lost. It never attacks, and stands in crowds as if nobody did."""

MOST_UNITS = 10
LAST_SPAWN = 180
CROWD = 1
"""More units than these are not fought for a corner, and make it TOO_CROWDED steps farther."""
TOO_CROWDED = 9
STOLEN = 2
"""The opponent's triangles count as so many steps nearer."""
FAR = 99


def read_numbers():
    return [int(word) for word in input().split()]


def steps_from(start, neighbours):
    """Steps along the paths from a house to each other house; FAR where there is no way."""
    steps = [FAR] * len(neighbours)
    steps[start] = 0
    queue = [start]
    for house in queue:
        for near in neighbours[house]:
            if steps[near] == FAR:
                steps[near] = steps[house] + 1
                queue.append(near)
    return steps


def plan(corners, owner, walkers, sent):
    """Who would go where to capture a triangle, and the steps of all together; FAR or more if units are too few."""
    walkers, orders = list(walkers), []
    cost = -STOLEN if owner == 1 else 0
    for corner in corners:
        if others[corner] > CROWD:
            cost += TOO_CROWDED
        for _ in range(min(others[corner], CROWD) + 1 - sent[corner]):
            if not walkers:
                return FAR, []
            unit = min(walkers, key=steps[corner].__getitem__)
            walkers.remove(unit)
            orders.append((unit, corner))
            cost += steps[corner][unit]
    return cost, orders


house_count = int(input())
for _ in range(house_count):
    input()
turn = 0

while True:
    turn += 1
    input()
    units = [read_numbers() for _ in range(house_count)]
    mine = [own for _, own, _ in units]
    others = [other for _, _, other in units]
    neighbours = [[] for _ in range(house_count)]
    for _ in range(int(input())):
        a, b = read_numbers()
        neighbours[a].append(b)
        neighbours[b].append(a)
    triangles = [read_numbers() for _ in range(int(input()))]
    for _ in range(int(input())):
        input()

    steps = [steps_from(house, neighbours) for house in range(house_count)]
    danger = [others[house] + sum(others[near] for near in neighbours[house]) for house in range(house_count)]
    count = sum(mine)
    held = [tuple(corners) for *corners, owner, _, _ in triangles if owner == 0]
    commands = []

    # New units.
    for corners in held:
        lost = all(danger[corner] > mine[corner] for corner in corners)
        if lost or (count < MOST_UNITS and turn <= LAST_SPAWN):
            where, *rest = sorted(corners, key=lambda corner: -danger[corner])
            commands.append("SPAWN {} {} {}".format(where, *rest))
            count += 1

    # Walks: again and again the triangle that takes the fewest steps.
    walkers = [house for house in range(house_count) for _ in range(mine[house])]
    sent = [0] * house_count
    wanted = [(tuple(corners), owner) for *corners, owner, i_may, _ in triangles if owner != 0 and i_may]
    while wanted and walkers:
        plans = [(*plan(*triangle, walkers, sent), triangle) for triangle in wanted]
        cost, orders, triangle = min(plans, key=lambda found: found[0])
        if cost >= FAR:
            break
        wanted.remove(triangle)
        for unit, corner in orders:
            walkers.remove(unit)
            sent[corner] += 1
            if unit != corner:
                commands.append(f"MOVE {unit} {corner} 1")
    print(";".join(commands or ["WAIT"]), flush=True)
