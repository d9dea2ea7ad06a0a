# A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.
# It speaks the line protocol of the rules page: a block of lines for each call, one line back.

SIDE = 25
ME = [12, 12] # the middle of what I see
WAYS = [1, 2, 3, 4, 6, 7, 8, 9] # 5 is the bot itself

def read_lines(count)
  Array.new(count) { gets.chomp }
end

def numbers(line)
  line.split.map(&:to_i)
end

def beside((x, y), way)
  [x + (way - 1) % 3 - 1, y + (way - 1) / 3 - 1]
end

# A cell of the view: '0' dead, '1' alive, '2' to '5' one of us, 'x' an opponent.
def cell(view, (x, y))
  view[y][x]
end

# How many of the eight neighbours are alive. Bots count as alive.
def live_neighbours(view, place)
  WAYS.count { |way| cell(view, beside(place, way)) != '0' }
end

# Actions, and perhaps a message.
def choose(view)
  alive = live_neighbours(view, ME)
  return '' if [2, 3].include?(alive) # the generation at the end of this turn will not hurt

  # Step to a dead cell where it will not hurt. My own cell is dead once I have left it, so it counts no more.
  dead = WAYS.select { |way| cell(view, beside(ME, way)) == '0' }
  goal = dead.find { |way| [2, 3].include?(live_neighbours(view, beside(ME, way)) - 1) }
  return "#{goal} say 4" if goal # 4 means: come here

  # There is none. Alone? Then wake up neighbours until there are three.
  dead.first([0, 3 - alive].max).map { |way| -way }.join(' ')
end

$stdout.sync = true
size = 0 # the board's
while (line = gets)
  call, *words = line.split
  case call
  when 'init'
    number, size = words.map(&:to_i) # mine, 2 to 5
    board = read_lines(size) # before anybody is on it
    puts 'ok'
  when 'parachute' # ten times: where do I land?
    team = read_lines(4).map { |member| numbers(member) } # what each of us said last, or -1 -1
    _, x, y = team.find { |member| member[1] >= 0 } || [0, size / 2, size / 2]
    puts "#{x} #{y}"
  else # 25 times start, while nothing lives or dies; then main, each turn until the end
    turn, hp = words.map(&:to_i)
    x, y = numbers(gets) # where I am on the board
    view = read_lines(SIDE)
    team = call == 'main' ? read_lines(gets.to_i) : [] # number, x, y of us who live
    chat = read_lines(gets.to_i) # number and text, since last turn
    puts call == 'main' ? choose(view) : ''
  end
end

# Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
# look ahead: play a generation of Life on the view for each thing that you could do, and do what hurts least.
