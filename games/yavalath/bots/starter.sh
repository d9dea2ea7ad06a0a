# A first Yavalath bot: it plays a random empty cell. Read, change, win.

read -r my_id # 1 if you begin, 2 if your opponent does

while read -r row_count; do # always 9
    empty_cells=()
    for ((y = 0; y < row_count; y++)); do
        read -r row # 0 empty, 1 your stone, 2 your opponent's
        for ((x = 0; x < ${#row}; x++)); do
            if [[ ${row:x:1} == 0 ]]; then empty_cells+=("$x $y"); fi
        done
    done
    read -r last_x last_y # your opponent's last move; -1 -1 if you begin

    echo "${empty_cells[RANDOM % ${#empty_cells[@]}]} hello"

    # Where to start: a random cell may complete a line of 3, and that loses. Look along the three directions
    # from each empty cell, leave out the cells that make a 3, and take the one that makes a 4.
done
