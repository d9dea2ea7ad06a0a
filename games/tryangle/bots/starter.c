// A first TryAngle Catch bot: three units walk to the nearest triangle, again and again. Read, change, win.
#include <stdio.h>

#define MOST_HOUSES 100
#define MOST_PATHS 1000
#define MOST_TRIANGLES 1000
#define MOST_UNITS 1000

typedef struct {
    int from, to;
} Path;

typedef struct {
    int corners[3], owner;  // owner: 0 me, 1 my opponent, -1 nobody
    int i_may, they_may;    // capture it
} Triangle;

int x[MOST_HOUSES], y[MOST_HOUSES];
int units[MOST_UNITS], unit_count;  // the house of each unit
Path paths[MOST_PATHS], linkable[MOST_PATHS];
Triangle triangles[MOST_TRIANGLES];

// The square of the straight way between two houses.
int distance(int one, int other) {
    return (x[one] - x[other]) * (x[one] - x[other]) + (y[one] - y[other]) * (y[one] - y[other]);
}

// Which of my units is nearest to a house.
int nearest(int house) {
    int best = 0;
    for (int unit = 1; unit < unit_count; unit++)
        if (distance(units[unit], house) < distance(units[best], house)) best = unit;
    return best;
}

int read_paths(Path *found) {
    int count;
    scanf("%d", &count);
    for (int path = 0; path < count; path++) scanf("%d %d", &found[path].from, &found[path].to);
    return count;
}

int main(void) {
    // The map, once.
    int house_count, id;
    scanf("%d", &house_count);
    for (int house = 0; house < house_count; house++) scanf("%d %d %d", &id, &x[house], &y[house]);

    int my_score, opponent_score;
    while (scanf("%d %d", &my_score, &opponent_score) == 2) {
        unit_count = 0;
        for (int house = 0; house < house_count; house++) {
            int mine, others;
            scanf("%d %d %d", &id, &mine, &others);
            while (mine-- > 0) units[unit_count++] = house;
        }
        read_paths(paths);
        int triangle_count;
        scanf("%d", &triangle_count);
        for (Triangle *t = triangles; t < triangles + triangle_count; t++)
            scanf("%d %d %d %d %d %d", &t->corners[0], &t->corners[1], &t->corners[2], &t->owner, &t->i_may, &t->they_may);
        read_paths(linkable);  // paths that could be added

        int commands = 0;

        // A new unit, while there are few.
        for (Triangle *t = triangles; t < triangles + triangle_count && unit_count < 6; t++)
            if (t->owner == 0) {
                printf("SPAWN %d %d %d;", t->corners[0], t->corners[1], t->corners[2]);
                commands++;
                break;
            }

        // The nearest triangle to capture; to each of its corners goes the nearest unit.
        Triangle *target = NULL;
        int least = 0;
        for (Triangle *t = triangles; t < triangles + triangle_count; t++) {
            if (t->owner == 0 || !t->i_may || unit_count == 0) continue;
            int sum = 0;
            for (int corner = 0; corner < 3; corner++) sum += distance(units[nearest(t->corners[corner])], t->corners[corner]);
            if (!target || sum < least) target = t, least = sum;
        }
        for (int corner = 0; target && corner < 3 && unit_count > 0; corner++) {
            int unit = nearest(target->corners[corner]), house = units[unit];
            unit_count--;
            for (int other = unit; other < unit_count; other++) units[other] = units[other + 1];
            if (house == target->corners[corner]) continue;
            printf("MOVE %d %d 1;", house, target->corners[corner]);
            commands++;
        }
        printf(commands ? "\n" : "WAIT\n");

        // Where to start: more than three units never walk; let them capture other triangles at the same time. A
        // straight way is not always the shortest one along the paths. And look where the opponent stands first.
    }
}
