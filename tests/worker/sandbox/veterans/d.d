import std;

void main()
{
    while (1) {
        int turn = readln.strip.to!int;
        stderr.writeln("turn ", turn);
        writeln("REPLY ", turn);
        stdout.flush();
    }
}
