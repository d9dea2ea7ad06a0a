# A first Ants bot: a line of beacons from its base to the three nearest resources. Read, change, win.
use strict;
use warnings;

$| = 1; # each line goes out at once

# The map, once.
my $cell_count = <STDIN>;
my (@kinds, @neighbours); # 0 nothing, 1 eggs, 2 crystal; of each cell: up to six other cells
for (1 .. $cell_count) {
    my ($kind, $amount, @around) = split ' ', <STDIN>;
    push @kinds, $kind;
    push @neighbours, [grep { $_ != -1 } @around];
}
my $base_count = <STDIN>;
my @my_bases = split ' ', <STDIN>;
my @opponent_bases = split ' ', <STDIN>;

# Steps from my first base to each cell.
my %distances = ($my_bases[0] => 0);
my @queue = ($my_bases[0]);
while (defined(my $cell = shift @queue)) {
    for my $near (grep { !exists $distances{$_} } @{ $neighbours[$cell] }) {
        $distances{$near} = $distances{$cell} + 1;
        push @queue, $near;
    }
}

while (my $line = <STDIN>) {
    my @numbers = split ' ', $line;
    my ($my_points, $opponent_points) = (0, 0);
    if (@numbers == 2) { # the points; only in the full game
        ($my_points, $opponent_points) = @numbers;
        @numbers = split ' ', <STDIN>;
    }
    my (@resources, @my_ants, @opponent_ants);
    for my $cell (0 .. $cell_count - 1) {
        @numbers = split ' ', <STDIN> if $cell > 0;
        push @resources, $numbers[0];
        push @my_ants, $numbers[1];
        push @opponent_ants, $numbers[2];
    }

    my @targets = sort { $distances{$a} <=> $distances{$b} || $a <=> $b } grep { $resources[$_] > 0 } 0 .. $cell_count - 1;
    my @commands = map { "LINE $my_bases[0] $_ 1" } grep { defined } @targets[0 .. 2];
    print @commands ? join(';', @commands) : 'WAIT', "\n";

    # Where to start: ants are spread over all beacons, so long lines are thin ones, and a chain harvests no more than
    # its thinnest cell. Take eggs first while there are few ants; then let one line begin where another one ends.
}
