package main

import "fmt"
import "os"

func main() {
	for {
		var turn int
		fmt.Scan(&turn)
		fmt.Fprintln(os.Stderr, "turn", turn)
		fmt.Println("REPLY", turn)
	}
}
