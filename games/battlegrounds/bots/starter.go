// A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.
// It speaks the line protocol of the rules page: a block of lines for each call, one line back.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

const side, middle = 25, 12

type place struct{ x, y int }

var (
	in   = bufio.NewReader(os.Stdin)
	me   = place{middle, middle}                // the middle of what I see
	ways = []int{1, 2, 3, 4, 6, 7, 8, 9} // 5 is the bot itself
)

func beside(at place, way int) place {
	return place{at.x + (way-1)%3 - 1, at.y + (way-1)/3 - 1}
}

// A cell of the view: '0' dead, '1' alive, '2' to '5' one of us, 'x' an opponent.
func cell(view []string, at place) byte {
	return view[at.y][at.x]
}

// How many of the eight neighbours are alive. Bots count as alive.
func liveNeighbours(view []string, at place) int {
	alive := 0
	for _, way := range ways {
		if cell(view, beside(at, way)) != '0' {
			alive++
		}
	}
	return alive
}

// Actions, and perhaps a message.
func choose(view []string) string {
	alive := liveNeighbours(view, me)
	if alive == 2 || alive == 3 {
		return "" // the generation at the end of this turn will not hurt
	}

	// Step to a dead cell where it will not hurt. My own cell is dead once I have left it, so it counts no more.
	var dead []int
	for _, way := range ways {
		if cell(view, beside(me, way)) == '0' {
			dead = append(dead, way)
		}
	}
	for _, way := range dead {
		if after := liveNeighbours(view, beside(me, way)) - 1; after == 2 || after == 3 {
			return fmt.Sprint(way, " say 4") // 4 means: come here
		}
	}

	// There is none. Alone? Then wake up neighbours until there are three.
	var actions []string
	for i := 0; i < len(dead) && i < 3-alive; i++ {
		actions = append(actions, fmt.Sprint(-dead[i]))
	}
	return strings.Join(actions, " ")
}

func readLine() (string, bool) {
	line, err := in.ReadString('\n')
	return strings.TrimSuffix(line, "\n"), err == nil
}

func readLines(count int) []string {
	rows := make([]string, count)
	for row := range rows {
		rows[row], _ = readLine()
	}
	return rows
}

func readCount() (count int) {
	line, _ := readLine()
	fmt.Sscan(line, &count)
	return
}

func main() {
	var number, size int // mine, 2 to 5; the board's
	for line, ok := readLine(); ok; line, ok = readLine() {
		var call string
		if strings.HasPrefix(line, "init") {
			fmt.Sscan(line, &call, &number, &size)
			board := readLines(size) // before anybody is on it
			_ = board
			fmt.Println("ok")
		} else if strings.HasPrefix(line, "parachute") { // ten times: where do I land?
			choice := place{-1, -1}
			for _, member := range readLines(4) { // what each of us said last, or -1 -1
				var mate int
				var said place
				fmt.Sscan(member, &mate, &said.x, &said.y)
				if choice.x < 0 {
					choice = said
				}
			}
			if choice.x < 0 {
				choice = place{size / 2, size / 2}
			}
			fmt.Println(choice.x, choice.y)
		} else { // 25 times start, while nothing lives or dies; then main, each turn until the end
			turn, hp := 0, 4
			fmt.Sscan(line, &call, &turn, &hp)
			where, _ := readLine() // x and y, where I am on the board
			view := readLines(side)
			var team []string // number, x, y of us who live
			if call == "main" {
				team = readLines(readCount())
			}
			chat := readLines(readCount()) // number and text, since last turn
			_, _, _ = where, team, chat
			if call == "main" {
				fmt.Println(choose(view))
			} else {
				fmt.Println()
			}
		}
	}
}

// Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
// look ahead: play a generation of Life on the view for each thing that you could do, and do what hurts least.
