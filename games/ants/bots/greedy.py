"""Greedy: a line to the nearest resources, as many as its ants can fill with one ant on each cell."""


def read_numbers():
    return [int(word) for word in input().split()]


def nearest_bases(neighbours, bases):
    """Two lists: cell -> steps to the nearest base, cell -> that base."""
    steps, home = [0] * len(neighbours), [-1] * len(neighbours)
    for base in bases:
        home[base] = base
    queue = list(bases)
    for cell in queue:
        for near in neighbours[cell]:
            if home[near] < 0:
                home[near] = home[cell]
                steps[near] = steps[cell] + 1
                queue.append(near)
    return steps, home


def main():
    cell_count = int(input())
    neighbours = [[near for near in read_numbers()[2:] if near >= 0] for _ in range(cell_count)]
    input()
    steps, home = nearest_bases(neighbours, read_numbers())
    input()

    while True:
        numbers = read_numbers()
        rows = [numbers] if len(numbers) == 3 else []
        rows += [read_numbers() for _ in range(cell_count - len(rows))]
        ants = sum(mine for _, mine, _ in rows)
        targets = sorted((cell for cell in range(cell_count) if rows[cell][0]), key=lambda cell: steps[cell])
        commands = []
        cells = 0
        for target in targets:
            cells += steps[target] + 1
            if commands and cells > ants:
                break
            commands.append(f"LINE {home[target]} {target} 1")
        print(";".join(commands or ["WAIT"]), flush=True)


try:
    main()
except EOFError:
    pass
