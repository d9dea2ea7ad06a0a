// A first Yavalath bot: it plays a random empty cell. Read, change, win.

fun main() {
    val myId = readln().toInt() // 1 if you begin, 2 if your opponent does

    while (true) {
        val rowCount = readlnOrNull()?.toInt() ?: return // always 9
        val rows = List(rowCount) { readln() } // 0 empty, 1 your stone, 2 your opponent's
        val (lastX, lastY) = readln().split(' ').map { it.toInt() } // your opponent's last move; -1 -1 if you begin

        val emptyCells = mutableListOf<Pair<Int, Int>>()
        for (y in rows.indices)
            for (x in rows[y].indices)
                if (rows[y][x] == '0') emptyCells.add(Pair(x, y))
        val (x, y) = emptyCells.random()
        println("$x $y hello")

        // Where to start: a random cell may complete a line of 3, and that loses. Look along the three directions
        // from each empty cell, leave out the cells that make a 3, and take the one that makes a 4.
    }
}
