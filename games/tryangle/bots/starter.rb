# A first TryAngle Catch bot: three units walk to the nearest triangle, again and again. Read, change, win.

def read_numbers = (gets || exit).split.map(&:to_i)
def read_rows(count) = Array.new(count) { read_numbers }
def read_list = read_rows(read_numbers[0])

# The map, once.
PLACES = read_list # id, x, y

# The square of the straight way between two houses.
def distance(one, other)
  (PLACES[one][1] - PLACES[other][1])**2 + (PLACES[one][2] - PLACES[other][2])**2
end

# Of some units, the one that is nearest to a house.
def nearest(units, house) = units.min_by { |unit| distance(unit, house) }

loop do
  my_score, opponent_score = read_numbers
  houses = read_rows(PLACES.size) # id, my units, my opponent's
  paths = read_list
  triangles = read_list # three corners, owner, may I capture, may they
  linkable = read_list # paths that could be added

  commands = []
  units = houses.flat_map { |house, mine, _others| [house] * mine } # the house of each unit

  # A new unit, while there are few.
  mine = triangles.find { |triangle| triangle[3].zero? }
  commands << "SPAWN #{mine.first(3).join(' ')}" if mine && units.size < 6

  # The nearest triangle to capture; to each of its corners goes the nearest unit.
  wanted = triangles.select { |triangle| triangle[3] != 0 && triangle[4] == 1 }.map { |triangle| triangle.first(3) }
  unless units.empty?
    target = wanted.min_by { |corners| corners.sum { |corner| distance(nearest(units, corner), corner) } }
    (target || []).each do |corner|
      break if units.empty?

      unit = nearest(units, corner)
      units.delete_at(units.index(unit))
      commands << "MOVE #{unit} #{corner} 1" if unit != corner
    end
  end
  puts commands.empty? ? 'WAIT' : commands.join(';')

  # Where to start: more than three units never walk; let them capture other triangles at the same time. A straight
  # way is not always the shortest one along the paths. And look where the opponent stands before you go there.
end
