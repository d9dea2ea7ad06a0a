// A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.
// It speaks the line protocol of the rules page: a block of lines for each call, one line back.

const val SIDE = 25
const val MIDDLE = 12 // I am in the middle of what I see
val WAYS = listOf(1, 2, 3, 4, 6, 7, 8, 9) // 5 is the bot itself

fun readLines(count: Int): List<String> = List(count) { readln() }

fun besideX(x: Int, way: Int): Int = x + (way - 1) % 3 - 1

fun besideY(y: Int, way: Int): Int = y + (way - 1) / 3 - 1

/** A cell of the view: '0' dead, '1' alive, '2' to '5' one of us, 'x' an opponent. */
fun beside(view: List<String>, x: Int, y: Int, way: Int): Char = view[besideY(y, way)][besideX(x, way)]

/** How many of the eight neighbours are alive. Bots count as alive. */
fun liveNeighbours(view: List<String>, x: Int, y: Int): Int = WAYS.count { beside(view, x, y, it) != '0' }

/** Actions, and perhaps a message. */
fun choose(view: List<String>): String {
    val alive = liveNeighbours(view, MIDDLE, MIDDLE)
    if (alive == 2 || alive == 3) return "" // the generation at the end of this turn will not hurt

    // Step to a dead cell where it will not hurt. My own cell is dead once I have left it, so it counts no more.
    val dead = WAYS.filter { beside(view, MIDDLE, MIDDLE, it) == '0' }
    val goal = dead.firstOrNull { liveNeighbours(view, besideX(MIDDLE, it), besideY(MIDDLE, it)) - 1 in 2..3 }
    if (goal != null) return "$goal say 4" // 4 means: come here

    // There is none. Alone? Then wake up neighbours until there are three.
    return dead.take(maxOf(0, 3 - alive)).joinToString(" ") { "-$it" }
}

fun main() {
    var size = 0 // the board's
    while (true) {
        val words = (readlnOrNull() ?: return).split(' ')
        when (words[0]) {
            "init" -> {
                val number = words[1].toInt() // mine, 2 to 5
                size = words[2].toInt()
                val board = readLines(size) // before anybody is on it
                println("ok")
            }
            "parachute" -> { // ten times: where do I land?
                // What each of us said last, or -1 -1.
                val team = readLines(4).map { mate -> mate.split(' ').map { it.toInt() } }
                val (_, x, y) = team.firstOrNull { it[1] >= 0 } ?: listOf(0, size / 2, size / 2)
                println("$x $y")
            }
            else -> { // 25 times start, while nothing lives or dies; then main, each turn until the end
                val isMain = words[0] == "main"
                val turn = words[1].toInt()
                val hp = if (isMain) words[2].toInt() else 4
                val (x, y) = readln().split(' ').map { it.toInt() } // where I am on the board
                val view = readLines(SIDE)
                val team = if (isMain) readLines(readln().toInt()) else listOf() // number, x, y of us who live
                val chat = readLines(readln().toInt()) // number and text, since last turn
                println(if (isMain) choose(view) else "")
            }
        }
    }
}

// Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
// look ahead: play a generation of Life on the view for each thing that you could do, and do what hurts least.
