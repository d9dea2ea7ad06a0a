// A first Tron bot: it rides to a random free cell. Read, change, win.
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"time"
)

const width, height = 30, 20

type cell struct{ x, y int }

var names = []string{"UP", "DOWN", "LEFT", "RIGHT"}
var steps = []cell{{0, -1}, {0, 1}, {-1, 0}, {1, 0}}

func main() {
	random := rand.New(rand.NewSource(time.Now().UnixNano()))
	in := bufio.NewReader(os.Stdin)
	trails := map[cell]int{} // whose trail is there

	for {
		var playerCount, me int
		if _, err := fmt.Fscan(in, &playerCount, &me); err != nil {
			return
		}
		var mine cell
		for player := 0; player < playerCount; player++ {
			var start, head cell // where its trail begins, and where it is now
			fmt.Fscan(in, &start.x, &start.y, &head.x, &head.y)
			if head.x == -1 { // it is out, and its trail is gone
				for at, owner := range trails {
					if owner == player {
						delete(trails, at)
					}
				}
			} else {
				trails[start], trails[head] = player, player
			}
			if player == me {
				mine = head
			}
		}

		var ways []string
		for way, step := range steps {
			next := cell{mine.x + step.x, mine.y + step.y}
			_, taken := trails[next]
			if 0 <= next.x && next.x < width && 0 <= next.y && next.y < height && !taken {
				ways = append(ways, names[way])
			}
		}
		if len(ways) == 0 {
			ways = names
		}
		fmt.Println(ways[random.Intn(len(ways))])

		// Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from
		// there, and take the way with the most.
	}
}
