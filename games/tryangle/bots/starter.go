// A first TryAngle Catch bot: three units walk to the nearest triangle, again and again. Read, change, win.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

type house struct{ x, y, mine, others int }
type path struct{ from, to int }
type triangle struct {
	corners       [3]int
	owner         int // 0 me, 1 my opponent, -1 nobody
	iMay, theyMay int // 1 who may capture it
}

var in = bufio.NewReader(os.Stdin)
var houses []house

func readPaths() []path {
	var count int
	fmt.Fscan(in, &count)
	paths := make([]path, count)
	for i := range paths {
		fmt.Fscan(in, &paths[i].from, &paths[i].to)
	}
	return paths
}

// The square of the straight way between two houses.
func distance(one, other int) int {
	x, y := houses[one].x-houses[other].x, houses[one].y-houses[other].y
	return x*x + y*y
}

// Of some units, the one that is nearest to a house: its place in the list.
func nearest(units []int, house int) int {
	best := 0
	for i, unit := range units {
		if distance(unit, house) < distance(units[best], house) {
			best = i
		}
	}
	return best
}

func main() {
	// The map, once.
	var houseCount, id int
	fmt.Fscan(in, &houseCount)
	houses = make([]house, houseCount)
	for i := range houses {
		fmt.Fscan(in, &id, &houses[i].x, &houses[i].y)
	}

	for {
		var myScore, opponentScore, triangleCount int
		if _, err := fmt.Fscan(in, &myScore, &opponentScore); err != nil {
			return
		}
		for i := range houses {
			fmt.Fscan(in, &id, &houses[i].mine, &houses[i].others)
		}
		paths := readPaths()
		fmt.Fscan(in, &triangleCount)
		triangles := make([]triangle, triangleCount)
		for i := range triangles {
			t := &triangles[i]
			fmt.Fscan(in, &t.corners[0], &t.corners[1], &t.corners[2], &t.owner, &t.iMay, &t.theyMay)
		}
		linkable := readPaths() // paths that could be added
		_, _ = paths, linkable

		var commands []string
		var units []int // the house of each unit
		for house := range houses {
			for i := 0; i < houses[house].mine; i++ {
				units = append(units, house)
			}
		}

		// A new unit, while there are few.
		for _, t := range triangles {
			if t.owner == 0 && len(units) < 6 {
				commands = append(commands, fmt.Sprintf("SPAWN %d %d %d", t.corners[0], t.corners[1], t.corners[2]))
				break
			}
		}

		// The nearest triangle to capture; to each of its corners goes the nearest unit.
		var target *triangle
		least := 0
		for i, t := range triangles {
			if t.owner == 0 || t.iMay == 0 || len(units) == 0 {
				continue
			}
			sum := 0
			for _, corner := range t.corners {
				sum += distance(units[nearest(units, corner)], corner)
			}
			if target == nil || sum < least {
				target, least = &triangles[i], sum
			}
		}
		if target != nil {
			for _, corner := range target.corners {
				if len(units) == 0 {
					break
				}
				chosen := nearest(units, corner)
				unit := units[chosen]
				units = append(units[:chosen], units[chosen+1:]...)
				if unit != corner {
					commands = append(commands, fmt.Sprintf("MOVE %d %d 1", unit, corner))
				}
			}
		}
		if len(commands) == 0 {
			commands = []string{"WAIT"}
		}
		fmt.Println(strings.Join(commands, ";"))

		// Where to start: more than three units never walk; let them capture other triangles at the same time. A
		// straight way is not always the shortest one along the paths. And look where the opponent stands first.
	}
}
