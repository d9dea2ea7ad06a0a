// A first Ants bot: a line of beacons from its base to the three nearest resources. Read, change, win.

/** The numbers of the next line, or null when the match is over. */
fun readNumbers(): List<Int>? = readlnOrNull()?.split(' ')?.map { it.toInt() }

fun main() {
    // The map, once.
    val cellCount = readNumbers()!![0]
    val kinds = mutableListOf<Int>() // 0 nothing, 1 eggs, 2 crystal
    val neighbours = mutableListOf<List<Int>>() // of each cell: up to six other cells
    repeat(cellCount) {
        val numbers = readNumbers()!!
        kinds.add(numbers[0])
        neighbours.add(numbers.drop(2).filter { it != -1 })
    }
    val baseCount = readNumbers()!![0]
    val myBases = readNumbers()!!
    val opponentBases = readNumbers()!!

    // Steps from my first base to each cell.
    val distances = IntArray(cellCount) { -1 }
    distances[myBases[0]] = 0
    val queue = mutableListOf(myBases[0])
    var next = 0
    while (next < queue.size) {
        val cell = queue[next++]
        for (near in neighbours[cell]) {
            if (distances[near] != -1) continue
            distances[near] = distances[cell] + 1
            queue.add(near)
        }
    }

    while (true) {
        var numbers = readNumbers() ?: return
        var points = listOf(0, 0) // mine, my opponent's
        if (numbers.size == 2) { // only in the full game
            points = numbers
            numbers = readNumbers()!!
        }
        val resources = mutableListOf<Int>()
        val myAnts = mutableListOf<Int>()
        val opponentAnts = mutableListOf<Int>()
        for (cell in 0 until cellCount) {
            if (cell > 0) numbers = readNumbers()!!
            resources.add(numbers[0])
            myAnts.add(numbers[1])
            opponentAnts.add(numbers[2])
        }

        val targets = resources.indices.filter { resources[it] > 0 }.sortedBy { distances[it] }
        val commands = targets.take(3).map { "LINE ${myBases[0]} $it 1" }
        println(commands.joinToString(";").ifEmpty { "WAIT" })

        // Where to start: ants are spread over all beacons, so long lines are thin ones, and a chain harvests no more
        // than its thinnest cell. Take eggs first while there are few ants; then let one line begin where another ends.
    }
}
