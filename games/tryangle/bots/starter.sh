# A first TryAngle Catch bot: three units walk to the nearest triangle, again and again. Read, change, win.

# The map, once.
read -r house_count
for ((house = 0; house < house_count; house++)); do
    read -r id "x[house]" "y[house]"
done

# Sets square: of the straight way between two houses.
distance() {
    ((square = (x[$1] - x[$2]) ** 2 + (y[$1] - y[$2]) ** 2))
}

# Sets best: which of my units is nearest to a house, and least: the square of its way.
nearest() {
    best= least=
    for unit in "${!units[@]}"; do
        distance "${units[unit]}" "$1"
        if [[ -z $least ]] || ((square < least)); then best=$unit least=$square; fi
    done
}

# Sets found: so many lines as the next line says.
read_lines() {
    found=()
    read -r count
    for ((line = 0; line < count; line++)); do read -r "found[line]"; done
}

while read -r my_score opponent_score; do
    units=() # the house of each unit
    for ((house = 0; house < house_count; house++)); do
        read -r id mine others
        for ((; mine > 0; mine--)); do units+=("$house"); done
    done
    read_lines
    paths=("${found[@]}")
    read_lines
    triangles=("${found[@]}") # three corners, owner, may I capture, may they
    read_lines
    linkable=("${found[@]}") # paths that could be added

    commands=()

    # A new unit, while there are few.
    for triangle in "${triangles[@]}"; do
        read -r a b c owner i_may they_may <<< "$triangle"
        if ((owner == 0 && ${#units[@]} < 6)); then
            commands+=("SPAWN $a $b $c")
            break
        fi
    done

    # The nearest triangle to capture; to each of its corners goes the nearest unit.
    target= least_sum=
    for triangle in "${triangles[@]}"; do
        read -r a b c owner i_may they_may <<< "$triangle"
        if ((owner == 0 || !i_may || ${#units[@]} == 0)); then continue; fi
        sum=0
        for corner in $a $b $c; do
            nearest "$corner"
            ((sum += least))
        done
        if [[ -z $target ]] || ((sum < least_sum)); then target="$a $b $c" least_sum=$sum; fi
    done
    for corner in $target; do
        if ((${#units[@]} == 0)); then break; fi
        nearest "$corner"
        house=${units[best]}
        unset "units[best]"
        if ((house != corner)); then commands+=("MOVE $house $corner 1"); fi
    done
    if ((${#commands[@]} == 0)); then commands=(WAIT); fi
    # Not by a subshell: where a bot may be one process only, it could not begin.
    printf -v answer "%s;" "${commands[@]}"
    echo "${answer%;}"

    # Where to start: more than three units never walk; let them capture other triangles at the same time. A straight
    # way is not always the shortest one along the paths. And look where the opponent stands before you go there.
done
