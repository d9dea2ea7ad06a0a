# A module of Perl's that is changed, or a program or library of the system, would run in the builds of others.
# Only what is there is opened, and nothing is written: where this succeeds, the machine stays as it is.
BEGIN {
    my @open;
    for my $file ((map { "$_/strict.pm" } @INC), '/usr/bin/perl', '/usr/bin/env', '/etc/ld.so.cache') {
        push @open, $file if $file =~ m{^/(usr|etc)/} && open(my $handle, '+<', $file);
    }
    die "could write @open" if $^C && @open;
}
$| = 1;
my $line = <STDIN>;
print "held\n";
$line = <STDIN>;
