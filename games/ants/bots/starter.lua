-- A first Ants bot: a line of beacons from its base to the three nearest resources. Read, change, win.

-- The numbers of the next line, or nil when the match is over.
local function read_numbers()
    local line = io.read("l")
    if not line then return nil end
    local numbers = {}
    for word in line:gmatch("%S+") do table.insert(numbers, tonumber(word)) end
    return numbers
end

-- The map, once. Cells count from 0.
local cell_count = read_numbers()[1]
local kinds, neighbours = {}, {} -- 0 nothing, 1 eggs, 2 crystal; of each cell: up to six other cells
for cell = 0, cell_count - 1 do
    local numbers = read_numbers()
    kinds[cell] = numbers[1]
    neighbours[cell] = {}
    for way = 3, 8 do
        if numbers[way] ~= -1 then table.insert(neighbours[cell], numbers[way]) end
    end
end
local base_count = read_numbers()[1]
local my_bases = read_numbers()
local opponent_bases = read_numbers()

-- Steps from my first base to each cell.
local distances = { [my_bases[1]] = 0 }
local queue = { my_bases[1] }
for _, cell in ipairs(queue) do -- goes on over what is added meanwhile
    for _, near in ipairs(neighbours[cell]) do
        if not distances[near] then
            distances[near] = distances[cell] + 1
            table.insert(queue, near)
        end
    end
end

while true do
    local numbers = read_numbers()
    if not numbers then break end
    local my_points, opponent_points = 0, 0
    if #numbers == 2 then -- the points; only in the full game
        my_points, opponent_points = numbers[1], numbers[2]
        numbers = read_numbers()
    end
    local resources, my_ants, opponent_ants = {}, {}, {}
    for cell = 0, cell_count - 1 do
        if cell > 0 then numbers = read_numbers() end
        resources[cell], my_ants[cell], opponent_ants[cell] = numbers[1], numbers[2], numbers[3]
    end

    local targets = {}
    for cell = 0, cell_count - 1 do
        if resources[cell] > 0 then table.insert(targets, cell) end
    end
    table.sort(targets, function(one, other)
        if distances[one] ~= distances[other] then return distances[one] < distances[other] end
        return one < other
    end)
    local commands = {}
    for number = 1, math.min(3, #targets) do
        table.insert(commands, "LINE " .. my_bases[1] .. " " .. targets[number] .. " 1")
    end
    print(#commands > 0 and table.concat(commands, ";") or "WAIT")
    io.stdout:flush()

    -- Where to start: ants are spread over all beacons, so long lines are thin ones, and a chain harvests no more than
    -- its thinnest cell. Take eggs first while there are few ants; then let one line begin where another one ends.
end
