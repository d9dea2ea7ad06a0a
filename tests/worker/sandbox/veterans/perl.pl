use strict;
use warnings;
use List::Util qw(max);

while (my $turn = <STDIN>) {
    chomp $turn;
    print STDERR "turn $turn\n";
    print "REPLY " . max($turn, 0) . "\n";
}
