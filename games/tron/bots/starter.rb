# A first Tron bot: it rides to a random free cell. Read, change, win.

WIDTH = 30
HEIGHT = 20
DIRECTIONS = { 'UP' => [0, -1], 'DOWN' => [0, 1], 'LEFT' => [-1, 0], 'RIGHT' => [1, 0] }.freeze

$stdout.sync = true
trails = {} # [x, y] -> whose trail is there

while (line = gets)
  player_count, me = line.split.map(&:to_i)
  heads = Array.new(player_count) do |player|
    x0, y0, x, y = gets.split.map(&:to_i) # where its trail begins, and where it is now
    if x == -1 # it is out, and its trail is gone
      trails.delete_if { |_, owner| owner == player }
    else
      trails[[x0, y0]] = trails[[x, y]] = player
    end
    [x, y]
  end

  my_x, my_y = heads[me]
  ways = DIRECTIONS.keys.select do |way|
    dx, dy = DIRECTIONS[way]
    x = my_x + dx
    y = my_y + dy
    x.between?(0, WIDTH - 1) && y.between?(0, HEIGHT - 1) && !trails.key?([x, y])
  end
  puts ways.sample || 'UP'

  # Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from there,
  # and take the way with the most.
end
