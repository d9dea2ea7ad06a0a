# A first TryAngle Catch bot: three units walk to the nearest triangle, again and again. Read, change, win.
use strict;
use warnings;
use List::Util qw(first min reduce sum);

$| = 1; # each line goes out at once

# So many lines as the next line says.
sub read_lines {
    my $count = <STDIN>;
    return map { [split ' ', <STDIN>] } 1 .. $count;
}

# The map, once.
my @places = map { [@$_[1, 2]] } read_lines(); # x, y

# The square of the straight way between two houses.
sub distance {
    my ($one, $other) = @places[@_];
    return ($one->[0] - $other->[0])**2 + ($one->[1] - $other->[1])**2;
}

while (my $scores = <STDIN>) { # mine, my opponent's
    my (@units, @opponent_units); # the house of each unit
    for (@places) {
        my ($house, $mine, $others) = split ' ', <STDIN>;
        push @units, ($house) x $mine;
        push @opponent_units, ($house) x $others;
    }
    my @paths = read_lines();
    my @triangles = read_lines(); # three corners, owner, may I capture, may they
    my @linkable = read_lines(); # paths that could be added

    my @commands;

    # A new unit, while there are few.
    my $mine = first { $_->[3] == 0 } @triangles;
    push @commands, "SPAWN @$mine[0 .. 2]" if $mine && @units < 6;

    # The nearest triangle to capture; to each of its corners goes the nearest unit.
    my @wanted = grep { $_->[3] != 0 && $_->[4] } @triangles;
    if (@wanted && @units) {
        my %costs;
        for my $triangle (@wanted) {
            $costs{$triangle} = sum map { my $corner = $_; min map { distance($_, $corner) } @units } @$triangle[0 .. 2];
        }
        my $target = reduce { $costs{$b} < $costs{$a} ? $b : $a } @wanted;
        for my $corner (@$target[0 .. 2]) {
            last if !@units;
            my $nearest = reduce { distance($units[$b], $corner) < distance($units[$a], $corner) ? $b : $a } 0 .. $#units;
            my $house = splice @units, $nearest, 1;
            push @commands, "MOVE $house $corner 1" if $house != $corner;
        }
    }
    print @commands ? join(';', @commands) : 'WAIT', "\n";

    # Where to start: more than three units never walk; let them capture other triangles at the same time. A straight
    # way is not always the shortest one along the paths. And look where the opponent stands before you go there.
}
