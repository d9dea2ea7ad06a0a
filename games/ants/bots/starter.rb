# A first Ants bot: a line of beacons from its base to the three nearest resources. Read, change, win.

def read_numbers = (gets || exit).split.map(&:to_i)

# The map, once.
cell_count, = read_numbers
kinds = [] # 0 nothing, 1 eggs, 2 crystal
neighbours = [] # of each cell: up to six other cells
cell_count.times do
  kind, _amount, *around = read_numbers
  kinds << kind
  neighbours << around.reject { |near| near == -1 }
end
base_count, = read_numbers
my_bases = read_numbers
opponent_bases = read_numbers

# Steps from my first base to each cell.
distances = { my_bases[0] => 0 }
queue = [my_bases[0]]
while (cell = queue.shift)
  neighbours[cell].each do |near|
    next if distances.key?(near)

    distances[near] = distances[cell] + 1
    queue << near
  end
end

loop do
  numbers = read_numbers
  my_points = opponent_points = 0
  if numbers.size == 2 # the points; only in the full game
    my_points, opponent_points = numbers
    numbers = read_numbers
  end
  cells = [numbers] + Array.new(cell_count - 1) { read_numbers }
  resources, my_ants, opponent_ants = cells.transpose

  targets = (0...cell_count).select { |target| resources[target].positive? }
  nearest = targets.sort_by { |target| [distances[target], target] }.first(3)
  commands = nearest.map { |target| "LINE #{my_bases[0]} #{target} 1" }
  puts commands.empty? ? 'WAIT' : commands.join(';')

  # Where to start: ants are spread over all beacons, so long lines are thin ones, and a chain harvests no more than
  # its thinnest cell. Take eggs first while there are few ants; then let one line begin where another one ends.
end
