// A first TryAngle Catch bot: three units walk to the nearest triangle, again and again. Read, change, win.

/** The numbers of the next line, or null when the match is over. */
fun readNumbers(): List<Int>? = readlnOrNull()?.split(' ')?.map { it.toInt() }

/** So many lines as the next line says. */
fun readLines(): List<List<Int>> = List(readNumbers()!![0]) { readNumbers()!! }

fun main() {
    // The map, once.
    val places = readLines().map { it.drop(1) } // x, y

    /** The square of the straight way between two houses. */
    fun distance(one: Int, other: Int): Int {
        val dx = places[one][0] - places[other][0]
        val dy = places[one][1] - places[other][1]
        return dx * dx + dy * dy
    }

    while (true) {
        val (myScore, opponentScore) = readNumbers() ?: return
        val units = mutableListOf<Int>() // the house of each unit
        val opponentUnits = mutableListOf<Int>()
        for (house in places.indices) {
            val (_, mine, others) = readNumbers()!!
            repeat(mine) { units.add(house) }
            repeat(others) { opponentUnits.add(house) }
        }
        val paths = readLines()
        val triangles = readLines() // three corners, owner, may I capture, may they
        val linkable = readLines() // paths that could be added

        val commands = mutableListOf<String>()

        // A new unit, while there are few.
        val mine = triangles.firstOrNull { it[3] == 0 }
        if (mine != null && units.size < 6) commands.add("SPAWN ${mine[0]} ${mine[1]} ${mine[2]}")

        // The nearest triangle to capture; to each of its corners goes the nearest unit.
        val wanted = triangles.filter { it[3] != 0 && it[4] != 0 }
        if (wanted.isNotEmpty() && units.isNotEmpty()) {
            val target = wanted.minBy { it.take(3).sumOf { corner -> units.minOf { unit -> distance(unit, corner) } } }
            for (corner in target.take(3)) {
                if (units.isEmpty()) break
                val house = units.minBy { unit -> distance(unit, corner) }
                units.remove(house)
                if (house != corner) commands.add("MOVE $house $corner 1")
            }
        }
        println(commands.joinToString(";").ifEmpty { "WAIT" })

        // Where to start: more than three units never walk; let them capture other triangles at the same time. A
        // straight way is not always the shortest one along the paths. And look where the opponent stands first.
    }
}
