-- A first Tron bot: it rides to a random free cell. Read, change, win.

local WIDTH, HEIGHT = 30, 20
local DIRECTIONS = { UP = { 0, -1 }, DOWN = { 0, 1 }, LEFT = { -1, 0 }, RIGHT = { 1, 0 } }

local trails = {} -- "x y" -> whose trail is there

while true do
    local player_count, me = io.read("n", "n")
    if not me then break end
    local my_x, my_y
    for player = 0, player_count - 1 do
        local x0, y0, x, y = io.read("n", "n", "n", "n") -- where its trail begins, and where it is now
        if x == -1 then -- it is out, and its trail is gone
            for cell, owner in pairs(trails) do
                if owner == player then trails[cell] = nil end
            end
        else
            trails[x0 .. " " .. y0] = player
            trails[x .. " " .. y] = player
        end
        if player == me then my_x, my_y = x, y end
    end

    local ways = {}
    for way, step in pairs(DIRECTIONS) do
        local x, y = my_x + step[1], my_y + step[2]
        if x >= 0 and x < WIDTH and y >= 0 and y < HEIGHT and not trails[x .. " " .. y] then
            table.insert(ways, way)
        end
    end
    print(#ways > 0 and ways[math.random(#ways)] or "UP")
    io.stdout:flush()

    -- Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from there,
    -- and take the way with the most.
end
