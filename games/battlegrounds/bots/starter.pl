# A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.
# It speaks the line protocol of the rules page: a block of lines for each call, one line back.
use strict;
use warnings;

my $SIDE = 25;
my @ME = (12, 12); # the middle of what I see
my @WAYS = (1, 2, 3, 4, 6, 7, 8, 9); # 5 is the bot itself

$| = 1; # each line goes out at once
my @view;

sub read_lines {
    my ($count) = @_;
    return map { my $line = <STDIN>; chomp $line; $line } 1 .. $count;
}

sub beside {
    my ($x, $y, $way) = @_;
    return ($x + ($way - 1) % 3 - 1, $y + int(($way - 1) / 3) - 1);
}

# A cell of the view: 0 dead, 1 alive, 2 to 5 one of us, x an opponent.
sub is_dead {
    my ($x, $y) = @_;
    return substr($view[$y], $x, 1) eq '0';
}

# How many of the eight neighbours are alive. Bots count as alive.
sub live_neighbours {
    my ($x, $y) = @_;
    return scalar grep { !is_dead(beside($x, $y, $_)) } @WAYS;
}

# Actions, and perhaps a message.
sub choose {
    my $alive = live_neighbours(@ME);
    return '' if $alive == 2 || $alive == 3; # the generation at the end of this turn will not hurt

    # Step to a dead cell where it will not hurt. My own cell is dead once I have left it, so it counts no more.
    my @dead = grep { is_dead(beside(@ME, $_)) } @WAYS;
    for my $way (@dead) {
        my $after = live_neighbours(beside(@ME, $way)) - 1;
        return "$way say 4" if $after == 2 || $after == 3; # 4 means: come here
    }

    # There is none. Alone? Then wake up neighbours until there are three.
    my $missing = 3 - $alive;
    return join ' ', map { -$_ } grep { $missing-- > 0 } @dead;
}

my ($number, $size); # mine, 2 to 5; the board's
while (my $line = <STDIN>) {
    my ($call, @numbers) = split ' ', $line;
    if ($call eq 'init') {
        ($number, $size) = @numbers;
        my @board = read_lines($size); # before anybody is on it
        print "ok\n";
    } elsif ($call eq 'parachute') { # ten times: where do I land?
        my @places = map { [(split)[1, 2]] } read_lines(4); # what each of us said last, or -1 -1
        my ($chosen) = grep { $_->[0] >= 0 } @places, [int($size / 2), int($size / 2)];
        print "@$chosen\n";
    } else { # 25 times start, while nothing lives or dies; then main, each turn until the end
        my ($turn, $hp) = @numbers;
        my ($x, $y) = split ' ', <STDIN>; # where I am on the board
        @view = read_lines($SIDE);
        my @team = $call eq 'main' ? read_lines(scalar <STDIN>) : (); # number, x, y of us who live
        my @chat = read_lines(scalar <STDIN>); # number and text, since last turn
        print $call eq 'main' ? choose() : '', "\n";
    }
}

# Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
# look ahead: play a generation of Life on the view for each thing that you could do, and do what hurts least.
