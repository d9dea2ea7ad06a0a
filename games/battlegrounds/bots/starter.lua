-- A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.
-- It speaks the line protocol of the rules page: a block of lines for each call, one line back.

local SIDE = 25
local MIDDLE = 12 -- I am in the middle of what I see; x and y count from 0
local WAYS = { 1, 2, 3, 4, 6, 7, 8, 9 } -- 5 is the bot itself

local function read_lines(count)
    local lines = {}
    for number = 1, count do lines[number] = io.read("l") end
    return lines
end

local function beside(x, y, way)
    return x + (way - 1) % 3 - 1, y + (way - 1) // 3 - 1
end

-- A cell of the view: "0" dead, "1" alive, "2" to "5" one of us, "x" an opponent.
local function is_dead(view, x, y)
    return view[y + 1]:sub(x + 1, x + 1) == "0"
end

-- How many of the eight neighbours are alive. Bots count as alive.
local function live_neighbours(view, x, y)
    local alive = 0
    for _, way in ipairs(WAYS) do
        if not is_dead(view, beside(x, y, way)) then alive = alive + 1 end
    end
    return alive
end

-- Actions, and perhaps a message.
local function choose(view)
    local alive = live_neighbours(view, MIDDLE, MIDDLE)
    if alive == 2 or alive == 3 then return "" end -- the generation at the end of this turn will not hurt

    -- Step to a dead cell where it will not hurt. My own cell is dead once I have left it, so it counts no more.
    local awake = {}
    for _, way in ipairs(WAYS) do
        local x, y = beside(MIDDLE, MIDDLE, way)
        if is_dead(view, x, y) then
            local after = live_neighbours(view, x, y) - 1
            if after == 2 or after == 3 then return way .. " say 4" end -- 4 means: come here
            if #awake < 3 - alive then table.insert(awake, -way) end
        end
    end

    -- There is none. Alone? Then wake up neighbours until there are three.
    return table.concat(awake, " ")
end

local number, size -- mine, 2 to 5; the board's
for line in io.lines() do
    local call, first, second = line:match("(%a+) ?(%d*) ?(%d*)")
    if call == "init" then
        number, size = tonumber(first), tonumber(second)
        local board = read_lines(size) -- before anybody is on it
        print("ok")
    elseif call == "parachute" then -- ten times: where do I land?
        local place = size // 2 .. " " .. size // 2
        for _, mate in ipairs(read_lines(4)) do -- what each of us said last, or -1 -1
            local x, y = mate:match("%d+ (%d+) (%d+)")
            if x then
                place = x .. " " .. y
                break
            end
        end
        print(place)
    else -- 25 times start, while nothing lives or dies; then main, each turn until the end
        local turn, hp = tonumber(first), tonumber(second)
        local x, y = io.read("n", "n", "l") -- where I am on the board
        local view = read_lines(SIDE)
        local team = call == "main" and read_lines(tonumber(io.read("l"))) or {} -- number, x, y of us who live
        local chat = read_lines(tonumber(io.read("l"))) -- number and text, since last turn
        print(call == "main" and choose(view) or "")
    end
    io.stdout:flush()
end

-- Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
-- look ahead: play a generation of Life on the view for each thing that you could do, and do what hurts least.
