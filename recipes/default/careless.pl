# One way of careless writing, for recipes/default/robustness:
#
#     perl careless.pl KIND ENGLISH_FIRST.tsv FROM TO >PAIRS.tsv
#
# Reads English, tab, German; writes the source as KIND has it, tab, the reference. The same on every run.
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

my ($kind, $file, $from, $to) = @ARGV;
srand 1;

# A letter left out, doubled or swapped with the next one, in one word of six.
sub slip {
    my $word = shift;
    return $word if $word !~ /^\p{L}{4,}$/ || rand() >= 1 / 6;
    my $at = 1 + int rand(length($word) - 2);
    my ($letter, $next) = split //, substr $word, $at, 2;
    substr($word, $at, 2) = ($next, "$letter$letter$next", "$next$letter")[int rand 3];
    return $word;
}

my %umlauts = ('ä' => 'ae', 'ö' => 'oe', 'ü' => 'ue', 'Ä' => 'Ae', 'Ö' => 'Oe', 'Ü' => 'Ue', 'ß' => 'ss');
my %write = (
    plain => sub { @_ },
    capitals => sub { map { uc } @_ },
    small => sub { lc $_[0], $_[1] },
    initials => sub { my $s = $_[0]; $s =~ s/(?<![\p{L}'’])(\p{Ll})/\u$1/g; $s, $_[1] },
    punctuation => sub { my $s = $_[0]; $s =~ s/[.,;:!?"„“”]//g; $s, $_[1] },
    typos => sub { join('', map { slip($_) } split /(\P{L}+)/, $_[0]), $_[1] },
    umlauts => sub { my $s = $_[0]; $s =~ s/([äöüÄÖÜß])/$umlauts{$1}/g; $s, $_[1] },
);
my @pairs;
open my $in, '<', $file or die "error: $file: $!\n";
while (<$in>) {
    chomp;
    my @both = split /\t/;
    push @pairs, $from eq 'en' ? [@both] : [reverse @both];
}
if ($kind eq 'three') {
    for (my $i = 0; $i + 2 < @pairs; $i += 3) {
        print join(' ', map { $pairs[$i + $_][0] } 0 .. 2), "\t", join(' ', map { $pairs[$i + $_][1] } 0 .. 2), "\n";
    }
} elsif ($kind eq 'long') {
    for my $p (@pairs) {
        my @words = split ' ', $p->[0];
        print "$p->[0]\t$p->[1]\n" if @words >= 40 && @words <= 80;
    }
} else {
    print join("\t", $write{$kind}->(@$_)), "\n" for @pairs;
}
