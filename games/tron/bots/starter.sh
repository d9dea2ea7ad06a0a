# A first Tron bot: it rides to a random free cell. Read, change, win.

WIDTH=30 HEIGHT=20
NAMES=(UP DOWN LEFT RIGHT)
DX=(0 0 -1 1) DY=(-1 1 0 0)

declare -A trails # "x,y" -> whose trail is there

while read -r player_count me; do
    for ((player = 0; player < player_count; player++)); do
        read -r x0 y0 x y # where its trail begins, and where it is now
        if ((x == -1)); then # it is out, and its trail is gone
            for cell in "${!trails[@]}"; do
                if ((${trails[$cell]} == player)); then unset "trails[$cell]"; fi
            done
        else
            trails[$x0,$y0]=$player
            trails[$x,$y]=$player
        fi
        if ((player == me)); then my_x=$x my_y=$y; fi
    done

    ways=()
    for way in 0 1 2 3; do
        ((x = my_x + DX[way], y = my_y + DY[way]))
        if ((0 <= x && x < WIDTH && 0 <= y && y < HEIGHT)) && [[ -z ${trails[$x,$y]} ]]; then
            ways+=("${NAMES[way]}")
        fi
    done
    if ((${#ways[@]} > 0)); then echo "${ways[RANDOM % ${#ways[@]}]}"; else echo UP; fi

    # Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from there,
    # and take the way with the most.
done
