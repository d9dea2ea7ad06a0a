# A first Yavalath bot: it plays a random empty cell. Read, change, win.
use strict;
use warnings;

$| = 1; # each line goes out at once
my $my_id = <STDIN>; # 1 if you begin, 2 if your opponent does

while (my $row_count = <STDIN>) { # always 9
    my @empty_cells;
    for my $y (0 .. $row_count - 1) {
        my @row = split //, <STDIN>; # 0 empty, 1 your stone, 2 your opponent's
        push @empty_cells, map { "$_ $y" } grep { $row[$_] eq '0' } 0 .. $#row;
    }
    my ($last_x, $last_y) = split ' ', <STDIN>; # your opponent's last move; -1 -1 if you begin

    print "$empty_cells[rand @empty_cells] hello\n";

    # Where to start: a random cell may complete a line of 3, and that loses. Look along the three directions from
    # each empty cell, leave out the cells that make a 3, and take the one that makes a 4.
}
