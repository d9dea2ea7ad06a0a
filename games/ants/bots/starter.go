// A first Ants bot: a line of beacons from its base to the three nearest resources. Read, change, win.
package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

var input = bufio.NewScanner(os.Stdin)

// The numbers of the next line. None at the end of the input.
func readNumbers() []int {
	numbers := []int{}
	if input.Scan() {
		for _, word := range strings.Fields(input.Text()) {
			number, _ := strconv.Atoi(word)
			numbers = append(numbers, number)
		}
	}
	return numbers
}

func main() {
	// The map, once.
	cellCount := readNumbers()[0]
	kinds := make([]int, cellCount)        // 0 nothing, 1 eggs, 2 crystal
	neighbours := make([][]int, cellCount) // of each cell: up to six other cells
	for cell := range kinds {
		numbers := readNumbers() // kind, amount, and one number for each direction
		kinds[cell] = numbers[0]
		for _, near := range numbers[2:] {
			if near != -1 {
				neighbours[cell] = append(neighbours[cell], near)
			}
		}
	}
	readNumbers() // the number of bases
	myBases := readNumbers()
	readNumbers() // my opponent's bases

	// Steps from my first base to each cell.
	distances := map[int]int{myBases[0]: 0}
	queue := []int{myBases[0]}
	for next := 0; next < len(queue); next++ {
		cell := queue[next]
		for _, near := range neighbours[cell] {
			if _, known := distances[near]; !known {
				distances[near] = distances[cell] + 1
				queue = append(queue, near)
			}
		}
	}

	for {
		numbers := readNumbers()
		if len(numbers) == 0 {
			return
		}
		points := []int{0, 0} // mine, my opponent's
		if len(numbers) == 2 { // only in the full game
			points = numbers
			numbers = readNumbers()
		}
		_ = points
		resources := make([]int, cellCount)
		myAnts := make([]int, cellCount)
		opponentAnts := make([]int, cellCount)
		for cell := range resources {
			if cell > 0 {
				numbers = readNumbers()
			}
			resources[cell], myAnts[cell], opponentAnts[cell] = numbers[0], numbers[1], numbers[2]
		}

		targets := []int{}
		for cell, amount := range resources {
			if amount > 0 {
				targets = append(targets, cell)
			}
		}
		sort.SliceStable(targets, func(one, other int) bool {
			return distances[targets[one]] < distances[targets[other]]
		})
		commands := []string{}
		for _, target := range targets {
			if len(commands) < 3 {
				commands = append(commands, fmt.Sprintf("LINE %d %d 1", myBases[0], target))
			}
		}
		if len(commands) == 0 {
			commands = append(commands, "WAIT")
		}
		fmt.Println(strings.Join(commands, ";"))

		// Where to start: ants are spread over all beacons, so long lines are thin ones, and a chain harvests no more
		// than its thinnest cell. Take eggs first while there are few ants; then let one line begin where another ends.
	}
}
