while true; do
    read -r turn
    echo "turn $turn" >&2
    echo "REPLY $turn"
done
