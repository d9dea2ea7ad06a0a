// A first Yavalath bot: it plays a random empty cell. Read, change, win.
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"time"
)

func main() {
	random := rand.New(rand.NewSource(time.Now().UnixNano()))
	in := bufio.NewReader(os.Stdin)
	var myId int
	fmt.Fscan(in, &myId) // 1 if you begin, 2 if your opponent does

	for {
		var rowCount int
		if _, err := fmt.Fscan(in, &rowCount); err != nil { // always 9
			return
		}
		rows := make([]string, rowCount) // 0 empty, 1 your stone, 2 your opponent's
		for y := range rows {
			fmt.Fscan(in, &rows[y])
		}
		var lastX, lastY int
		fmt.Fscan(in, &lastX, &lastY) // your opponent's last move; -1 -1 if you begin

		type cell struct{ x, y int }
		var emptyCells []cell
		for y, row := range rows {
			for x, stone := range row {
				if stone == '0' {
					emptyCells = append(emptyCells, cell{x, y})
				}
			}
		}
		chosen := emptyCells[random.Intn(len(emptyCells))]
		fmt.Println(chosen.x, chosen.y, "hello")

		// Where to start: a random cell may complete a line of 3, and that loses. Look along the three directions
		// from each empty cell, leave out the cells that make a 3, and take the one that makes a 4.
	}
}
