import java.util.*

data class Turn(val number: Int)

fun main(args: Array<String>) {
    val input = Scanner(System.`in`)
    while (input.hasNextInt()) {
        val turn = Turn(input.nextInt())
        System.err.println(turn)
        println("REPLY ${turn.number}")
    }
}
