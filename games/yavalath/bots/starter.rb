# A first Yavalath bot: it plays a random empty cell. Read, change, win.

my_id = gets.to_i # 1 if you begin, 2 if your opponent does

while (line = gets)
  row_count = line.to_i # always 9
  rows = Array.new(row_count) { gets.chomp } # 0 empty, 1 your stone, 2 your opponent's
  last_x, last_y = gets.split.map(&:to_i) # your opponent's last move; -1 -1 if you begin

  empty_cells = rows.each_with_index.flat_map do |row, y|
    row.each_char.with_index.filter_map { |stone, x| [x, y] if stone == '0' }
  end
  x, y = empty_cells.sample
  puts "#{x} #{y} hello"

  # Where to start: a random cell may complete a line of 3, and that loses. Look along the three directions
  # from each empty cell, leave out the cells that make a 3, and take the one that makes a 4.
end
