STDOUT.sync = true # DO NOT REMOVE
loop do
  turn = gets.to_i
  STDERR.puts "turn #{turn}"
  puts "REPLY #{turn}"
end
