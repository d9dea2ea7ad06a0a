# A first Tron bot: it rides to a random free cell. Read, change, win.
use strict;
use warnings;

my ($WIDTH, $HEIGHT) = (30, 20);
my %DIRECTIONS = (UP => [0, -1], DOWN => [0, 1], LEFT => [-1, 0], RIGHT => [1, 0]);

$| = 1; # each line goes out at once
my %trails; # "x y" -> whose trail is there

while (my $line = <STDIN>) {
    my ($player_count, $me) = split ' ', $line;
    my @heads;
    for my $player (0 .. $player_count - 1) {
        my ($x0, $y0, $x, $y) = split ' ', <STDIN>; # where its trail begins, and where it is now
        push @heads, [$x, $y];
        if ($x == -1) { # it is out, and its trail is gone
            delete @trails{ grep { $trails{$_} == $player } keys %trails };
        } else {
            $trails{"$x0 $y0"} = $trails{"$x $y"} = $player;
        }
    }

    my ($my_x, $my_y) = @{ $heads[$me] };
    my @ways;
    for my $way (keys %DIRECTIONS) {
        my ($dx, $dy) = @{ $DIRECTIONS{$way} };
        my ($x, $y) = ($my_x + $dx, $my_y + $dy);
        push @ways, $way if $x >= 0 && $x < $WIDTH && $y >= 0 && $y < $HEIGHT && !exists $trails{"$x $y"};
    }
    print @ways ? $ways[rand @ways] : 'UP', "\n";

    # Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from there,
    # and take the way with the most.
}
