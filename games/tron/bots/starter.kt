// A first Tron bot: it rides to a random free cell. Read, change, win.

const val WIDTH = 30
const val HEIGHT = 20
const val NOBODY = -1
val NAMES = listOf("UP", "DOWN", "LEFT", "RIGHT")
val DX = listOf(0, 0, -1, 1)
val DY = listOf(-1, 1, 0, 0)

/** The numbers of the next line, or null when the match is over. */
fun readNumbers(): List<Int>? = readlnOrNull()?.split(' ')?.map { it.toInt() }

fun main() {
    val trails = Array(HEIGHT) { IntArray(WIDTH) { NOBODY } } // whose trail is there

    while (true) {
        val (playerCount, me) = readNumbers() ?: return
        var myX = 0
        var myY = 0
        for (player in 0 until playerCount) {
            val (x0, y0, x, y) = readNumbers() ?: return // where its trail begins, and where it is now
            if (x == -1) { // it is out, and its trail is gone
                for (row in trails)
                    for (column in row.indices)
                        if (row[column] == player) row[column] = NOBODY
            } else {
                trails[y0][x0] = player
                trails[y][x] = player
            }
            if (player == me) {
                myX = x
                myY = y
            }
        }

        val ways = NAMES.indices.filter { way ->
            val x = myX + DX[way]
            val y = myY + DY[way]
            x in 0 until WIDTH && y in 0 until HEIGHT && trails[y][x] == NOBODY
        }
        println(if (ways.isEmpty()) "UP" else NAMES[ways.random()])

        // Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from
        // there, and take the way with the most.
    }
}
