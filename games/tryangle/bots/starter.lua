-- A first TryAngle Catch bot: three units walk to the nearest triangle, again and again. Read, change, win.

-- The numbers of the next line, or nil when the match is over.
local function read_numbers()
    local line = io.read("l")
    if not line then return nil end
    local numbers = {}
    for word in line:gmatch("%S+") do table.insert(numbers, tonumber(word)) end
    return numbers
end

-- So many lines as the next line says.
local function read_lines()
    local lines = {}
    for _ = 1, read_numbers()[1] do table.insert(lines, read_numbers()) end
    return lines
end

-- The map, once.
local house_count = 0
local places = {} -- house -> x and y
for _, house in ipairs(read_lines()) do
    places[house[1]] = { x = house[2], y = house[3] }
    house_count = house_count + 1
end

-- The square of the straight way between two houses.
local function distance(one, other)
    return (places[one].x - places[other].x) ^ 2 + (places[one].y - places[other].y) ^ 2
end

-- Which of my units is nearest to a house, and the square of its way.
local function nearest(units, house)
    local best, least
    for unit, at in ipairs(units) do
        local way = distance(at, house)
        if not least or way < least then best, least = unit, way end
    end
    return best, least
end

while true do
    local scores = read_numbers() -- mine, my opponent's
    if not scores then break end
    local units, opponent_units = {}, {} -- the house of each unit
    for _ = 1, house_count do
        local house, mine, others = table.unpack(read_numbers())
        for _ = 1, mine do table.insert(units, house) end
        for _ = 1, others do table.insert(opponent_units, house) end
    end
    local paths = read_lines()
    local triangles = read_lines() -- three corners, owner, may I capture, may they
    local linkable = read_lines() -- paths that could be added

    local commands = {}

    -- A new unit, while there are few.
    for _, triangle in ipairs(triangles) do
        if triangle[4] == 0 and #units < 6 then
            table.insert(commands, "SPAWN " .. table.concat(triangle, " ", 1, 3))
            break
        end
    end

    -- The nearest triangle to capture; to each of its corners goes the nearest unit.
    local target, least
    for _, triangle in ipairs(triangles) do
        if triangle[4] ~= 0 and triangle[5] ~= 0 and #units > 0 then
            local sum = 0
            for corner = 1, 3 do sum = sum + select(2, nearest(units, triangle[corner])) end
            if not least or sum < least then target, least = triangle, sum end
        end
    end
    for corner = 1, target and 3 or 0 do
        if #units == 0 then break end
        local house = table.remove(units, (nearest(units, target[corner])))
        if house ~= target[corner] then
            table.insert(commands, "MOVE " .. house .. " " .. target[corner] .. " 1")
        end
    end
    print(#commands > 0 and table.concat(commands, ";") or "WAIT")
    io.stdout:flush()

    -- Where to start: more than three units never walk; let them capture other triangles at the same time. A straight
    -- way is not always the shortest one along the paths. And look where the opponent stands before you go there.
end
