"""Swarmer: spends every triangle on a unit until it has a swarm of twenty, and only then keeps what it captures. Its
units go where nobody stands, cheapest triangles first. This is Rover's program with another number of units."""

MOST_UNITS = 20
LAST_SPAWN = 150
"""Later on a triangle is worth more than the unit it could become."""


def read_numbers():
    return [int(word) for word in input().split()]


def steps_from(start, neighbours):
    """Steps along the paths from a house to each other house that can be reached."""
    steps = {start: 0}
    queue = [start]
    for house in queue:
        for near in neighbours[house]:
            if near not in steps:
                steps[near] = steps[house] + 1
                queue.append(near)
    return steps


def nearest(corner, walkers, steps):
    """The unit that is nearest to a corner, and how far it is."""
    unit = min(walkers, key=lambda unit: steps[corner].get(unit, 99))
    return unit, steps[corner].get(unit, 99)


def plan(triangle, walkers, posts, steps):
    """Who would go where to capture a triangle, and the steps of all together; None if there are too few units."""
    walkers, orders, cost = list(walkers), [], 0
    for corner in triangle:
        if corner in posts:
            continue
        if not walkers:
            return None
        unit, far = nearest(corner, walkers, steps)
        walkers.remove(unit)
        orders.append((unit, corner))
        cost += far
    return cost, orders


house_count = int(input())
for _ in range(house_count):
    input()
turn = 0

while True:
    turn += 1
    input()
    units = [read_numbers() for _ in range(house_count)]
    neighbours = [[] for _ in range(house_count)]
    for _ in range(int(input())):
        a, b = read_numbers()
        neighbours[a].append(b)
        neighbours[b].append(a)
    triangles = [read_numbers() for _ in range(int(input()))]
    for _ in range(int(input())):
        input()

    steps = [steps_from(house, neighbours) for house in range(house_count)]
    walkers = [house for house, mine, _ in units for _ in range(mine)]
    guarded = {house for house, _, others in units if others}
    commands = []

    count = len(walkers)
    for a, b, c, owner, _, _ in triangles:
        if owner == 0 and count < MOST_UNITS and turn <= LAST_SPAWN:
            commands.append(f"SPAWN {a} {b} {c}")
            count += 1

    wanted = [tuple(corners) for *corners, owner, i_may, _ in triangles if owner != 0 and i_may]
    wanted = [corners for corners in wanted if not guarded.intersection(corners)]
    posts = set()  # corners that somebody goes to already
    while wanted and walkers:
        plans = [(found, corners) for corners in wanted if (found := plan(corners, walkers, posts, steps))]
        if not plans:
            break
        (_, orders), corners = min(plans)
        wanted.remove(corners)
        for unit, corner in orders:
            walkers.remove(unit)
            posts.add(corner)
            if unit != corner:
                commands.append(f"MOVE {unit} {corner} 1")
    print(";".join(commands or ["WAIT"]), flush=True)
