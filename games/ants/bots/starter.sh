# A first Ants bot: a line of beacons from its base to the three nearest resources. Read, change, win.

# The map, once.
read -r cell_count
kinds=()      # 0 nothing, 1 eggs, 2 crystal
neighbours=() # of each cell: up to six other cells
for ((cell = 0; cell < cell_count; cell++)); do
    read -r kind amount around
    kinds+=("$kind")
    neighbours+=("${around//-1/}")
done
read -r base_count
read -r -a my_bases
read -r -a opponent_bases

# Steps from my first base to each cell.
declare -A distances=([${my_bases[0]}]=0)
queue=("${my_bases[0]}")
for ((next = 0; next < ${#queue[@]}; next++)); do
    for near in ${neighbours[queue[next]]}; do
        if [[ -z ${distances[$near]} ]]; then
            distances[$near]=$((distances[${queue[next]}] + 1))
            queue+=("$near")
        fi
    done
done

while read -r -a numbers; do
    my_points=0 opponent_points=0
    if ((${#numbers[@]} == 2)); then # the points; only in the full game
        my_points=${numbers[0]} opponent_points=${numbers[1]}
        read -r -a numbers
    fi
    resources=() my_ants=() opponent_ants=()
    for ((cell = 0; cell < cell_count; cell++)); do
        if ((cell > 0)); then read -r -a numbers; fi
        resources+=("${numbers[0]}")
        my_ants+=("${numbers[1]}")
        opponent_ants+=("${numbers[2]}")
    done

    commands=WAIT taken=" "
    for ((line = 0; line < 3; line++)); do
        target=
        for ((cell = 0; cell < cell_count; cell++)); do
            if ((resources[cell] > 0)) && [[ $taken != *" $cell "* ]]; then
                if [[ -z $target ]] || ((distances[$cell] < distances[$target])); then target=$cell; fi
            fi
        done
        if [[ -z $target ]]; then break; fi
        taken+="$target "
        if ((line == 0)); then commands=; else commands+=";"; fi
        commands+="LINE ${my_bases[0]} $target 1"
    done
    echo "$commands"

    # Where to start: ants are spread over all beacons, so long lines are thin ones, and a chain harvests no more than
    # its thinnest cell. Take eggs first while there are few ants; then let one line begin where another one ends.
done
