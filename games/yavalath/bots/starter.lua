-- A first Yavalath bot: it plays a random empty cell. Read, change, win.

local my_id = io.read("n") -- 1 if you begin, 2 if your opponent does

while true do
    local row_count = io.read("n", "l") -- always 9
    if not row_count then break end
    local empty_cells = {}
    for y = 0, row_count - 1 do
        local row = io.read("l") -- 0 empty, 1 your stone, 2 your opponent's
        for x = 0, #row - 1 do
            if row:sub(x + 1, x + 1) == "0" then table.insert(empty_cells, x .. " " .. y) end
        end
    end
    local last_x, last_y = io.read("n", "n") -- your opponent's last move; -1 -1 if you begin

    print(empty_cells[math.random(#empty_cells)] .. " hello")
    io.stdout:flush()

    -- Where to start: a random cell may complete a line of 3, and that loses. Look along the three directions
    -- from each empty cell, leave out the cells that make a 3, and take the one that makes a 4.
end
