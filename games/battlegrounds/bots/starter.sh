# A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.
# It speaks the line protocol of the rules page: a block of lines for each call, one line back.

SIDE=25
MIDDLE=12                # I am in the middle of what I see
WAYS=(1 2 3 4 6 7 8 9)   # 5 is the bot itself
DX=(0 -1 0 1 -1 0 1 -1 0 1) DY=(0 -1 -1 -1 0 0 0 1 1 1)

# Whether a cell of the view is dead: 0 dead, 1 alive, 2 to 5 one of us, x an opponent.
is_dead() { [[ ${view[$2]:$1:1} == 0 ]]; }

# Sets alive: how many of the eight neighbours of a cell are alive. Bots count as alive.
count_neighbours() {
    alive=0
    for near in "${WAYS[@]}"; do
        if ! is_dead $(($1 + DX[near])) $(($2 + DY[near])); then ((alive += 1)); fi
    done
}

# Prints actions, and perhaps a message.
choose() {
    count_neighbours $MIDDLE $MIDDLE
    if ((alive == 2 || alive == 3)); then # the generation at the end of this turn will not hurt
        echo
        return
    fi
    missing=$((3 - alive))

    # Step to a dead cell where it will not hurt. My own cell is dead once I have left it, so it counts no more.
    dead=()
    for way in "${WAYS[@]}"; do
        x=$((MIDDLE + DX[way])) y=$((MIDDLE + DY[way]))
        if ! is_dead $x $y; then continue; fi
        dead+=("-$way")
        count_neighbours $x $y
        if ((alive == 3 || alive == 4)); then
            echo "$way say 4" # 4 means: come here
            return
        fi
    done

    # There is none. Alone? Then wake up neighbours until there are three.
    echo "${dead[@]:0:missing > 0 ? missing : 0}"
}

# Sets lines: so many of them.
read_lines() {
    lines=()
    for ((line = 0; line < $1; line++)); do read -r "lines[line]"; done
}

while read -r call first second; do
    case $call in
    init)
        number=$first size=$second # mine, 2 to 5; the board's
        read_lines "$size"         # the board before anybody is on it
        echo ok
        ;;
    parachute) # ten times: where do I land?
        place="$((size / 2)) $((size / 2))"
        read_lines 4 # what each of us said last, or -1 -1
        for line in "${lines[@]}"; do
            read -r mate x y <<< "$line"
            if ((x >= 0)); then
                place="$x $y"
                break
            fi
        done
        echo "$place"
        ;;
    *) # 25 times start, while nothing lives or dies; then main, each turn until the end
        turn=$first hp=$second
        read -r x y # where I am on the board
        read_lines $SIDE
        view=("${lines[@]}")
        if [[ $call == main ]]; then
            read -r living
            read_lines "$living" # number, x, y of us who live
            team=("${lines[@]}")
        fi
        read -r messages
        read_lines "$messages" # number and text, since last turn
        if [[ $call == main ]]; then choose; else echo; fi
        ;;
    esac
done

# Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
# look ahead: play a generation of Life on the view for each thing that you could do, and do what hurts least.
