# Cleans the corpora of a table and takes the development pairs out of them:
#
#     perl clean.pl TABLE CORPUS_FOLDER OUT HELD_OUT.tsv...
#
# Two passes: the first chooses the development pairs, the second writes OUT/text/NAME.tsv without what equals one of them or a
# held-out one. Each pair is tidied (tidy), one form of quotes included; then the first rule that speaks against it counts (fault).
# OUT/dropped has the counts.
use strict;
use warnings;
use utf8;
use FindBin;
use open qw(:std :encoding(UTF-8));

my ($table, $folder, $out, @held_out) = @ARGV;
my @rules = ('encoding', 'markup', 'length', 'ratio', 'language', 'same', 'numbers', 'held out', 'double');
my (%held, %held_pair, %seen);

# Words that only one of the languages has.
my %english = map { $_ => 1 } qw(the of and to is are with that this you it be from your we he she they have has can which would
    should there their been not but if what when where who how about into than then my me our us him its were do does don't);
my %german = map { $_ => 1 } qw(der das und ist nicht ein eine einen einem einer mit für auf den dem des von zu zum zur sich wird
    werden sie ich wir auch oder aus bei nach dass daß sind haben hat kann wenn als wie was wo er es ihr ihre mein sein im vom
    noch nur aber über unter durch diese dieser dieses keine kein sehr schon);
my %reform = (daß => 'dass', muß => 'muss', mußt => 'musst', mußte => 'musste', mußten => 'mussten', wußte => 'wusste',
    läßt => 'lässt', laß => 'lass', bißchen => 'bisschen', Fluß => 'Fluss', Schluß => 'Schluss', Kuß => 'Kuss',
    wußten => 'wussten', müßte => 'müsste', müßten => 'müssten', Einfluß => 'Einfluss', Haß => 'Hass', Schloß => 'Schloss');

sub words { return split ' ', $_[0] }

# Capitals, punctuation and spacing aside.
sub key {
    my $text = lc shift;
    $text =~ s/[\p{P}\p{S}\s]+/ /g;
    $text =~ s/^ | $//g;
    return $text;
}

sub hold {
    my ($english, $german) = map { key($_) } @_;
    $held_pair{"$english\t$german"} = 1;
    $held{$_} = 1 for grep { (() = words($_)) > 5 } $english, $german;
}

sub is_held { # keys
    my ($english, $german) = @_;
    return $held_pair{"$english\t$german"} || $held{$english} || $held{$german};
}

sub tidy {
    my ($english, $german) = @_;
    for ($english, $german) {
        s/[\x{AD}\x{200B}\x{200E}\x{200F}\x{FEFF}\x{2060}]//g;
        s/\s+/ /g;
        s/^ | $//g;
    }
    $english =~ tr/“”„‘’ʼ/"""'''/;
    $german =~ s/[»«]([^»«„“]*)[«»]/„$1“/g;
    $german =~ s{(?<![\w=])"([^"„“”<>]+)"(?!\w)|„([^"„“”]*)["”]}{'„' . ($1 // $2) . '“'}ge;
    $german =~ s/(?<=\p{L})[’ʼ](?=\p{L})/'/g;
    $german =~ s/(\w+ß\w*)/$reform{$1} || $1/ge;
    return ($english, $german);
}

# What must stand alike on both sides: tags, codes of formats.
sub codes {
    return join ' ', sort $_[0] =~ /<\/?[a-zA-Z][^<>]*>|%\d*\$?[sdi]\b|%\(\w+\)s|\$?\{\w*\}/g;
}

# Numbers of four digits and more, separators aside.
sub numbers {
    my $text = shift;
    $text =~ s/(?<=\d)[.,:' ](?=\d)//g;
    return join ' ', sort $text =~ /\d{4,}/g;
}

sub count {
    my ($set, @words) = @_;
    return scalar grep { $set->{$_} } @words;
}

# The first rule that speaks against a pair, or ''.
sub fault {
    my ($english, $german) = @_;
    for ($english, $german) {
        return 'encoding' if /[\x{FFFD}\x00-\x1F\x80-\x9F\x{E000}-\x{F8FF}]|Ã\S|â€/;
        return 'markup' if /&#?\w+;|\[amp\]|\[\[|\]\]|''|\]\(|text='|\\n|\{\{/;
    }
    return 'markup' if codes($english) ne codes($german);
    my @english = map { s/^\P{L}+|\P{L}+$//gr } words(lc $english);
    my @german = map { s/^\P{L}+|\P{L}+$//gr } words(lc $german);
    return 'length' if @english > 80 || @german > 80 || $english !~ /\p{L}/ || $german !~ /\p{L}/;
    my $ratio = (length($german) + 10) / (1.15 * length($english) + 10);
    return 'ratio' if $ratio > 2.1 || $ratio < 0.48;
    return 'language' if ($english =~ /[^\P{L}\p{Latin}\p{Greek}]/) != ($german =~ /[^\P{L}\p{Latin}\p{Greek}]/);
    my ($strange, $own) = (count(\%english, @german), count(\%german, @german));
    return 'language' if $strange >= 2 && $strange > 2 * $own;
    ($strange, $own) = (count(\%german, @english), count(\%english, @english));
    return 'language' if $strange >= 2 && $strange > 2 * $own;
    return 'same' if lc $english eq lc $german && (@english > 3 || count(\%english, @english) || count(\%german, @german));
    return 'numbers' if numbers($english) ne numbers($german);
    return '';
}

# The command that writes a corpus: 'own' are the files beside this script.
sub reader {
    my $name = shift;
    return ('cat', sort glob "$FindBin::Bin/own/*.tsv") if $name eq 'own';
    -f "$folder/$name.tsv.xz" or die "error: $folder/$name.tsv.xz is missing\n";
    return ('xz', '-dc', "$folder/$name.tsv.xz");
}

# Calls $take->(english, german, fault) for each pair of a corpus.
sub each_pair {
    my ($name, $take) = @_;
    open my $in, '-|:encoding(UTF-8)', reader($name) or die "error: $name: $!\n";
    while (<$in>) {
        chomp;
        my @pair = tidy((split /\t/, $_, -1)[0, 1]);
        $take->(@pair, fault(@pair));
    }
    close $in or die "error: corpus $name cannot be read\n";
}

my @corpora;
open my $rows, '<', $table or die "error: $table: $!\n";
while (<$rows>) {
    next if /^#/ || !/\S/;
    s/^\s+|\s+$//g;
    my %corpus;
    @corpus{qw(name kind cap weight order share dev licence)} = split /\s*\|\s*/;
    next if ($ENV{SHARE_ALIKE} // 'yes') eq 'no' && $corpus{share} eq 'yes';
    reader($corpus{name});
    push @corpora, \%corpus;
}

for my $file (@held_out) {
    open my $in, '<', $file or die "error: $file: $!\n";
    while (<$in>) {
        chomp;
        hold((split /\t/)[0, 1]);
    }
}

# Development pairs: sentences of five words and more, spread evenly over each corpus.
open my $dev, '>', "$out/dev/open.tsv" or die "error: $out/dev/open.tsv: $!\n";
for my $corpus (grep { $_->{dev} > 0 } @corpora) {
    my @sentences;
    each_pair($corpus->{name}, sub { push @sentences, "$_[0]\t$_[1]" if !$_[2] && (() = words($_[0])) >= 5 && !is_held(map { key($_) } @_[0, 1]) });
    my $step = @sentences / $corpus->{dev};
    for my $i (0 .. ($step < 1 ? -1 : $corpus->{dev} - 1)) {
        my $pair = $sentences[int(($i + 0.5) * $step)];
        print $dev "$pair\n";
        hold(split /\t/, $pair);
    }
}
close $dev;

open my $dropped, '>', "$out/dropped" or die "error: $out/dropped: $!\n";
print $dropped join(' | ', '| corpus', 'read', @rules, 'over the cap', 'kept'), " |\n", '|---' x (@rules + 4), "|\n";
my %sum;
for my $corpus (@corpora) {
    my (%count, @pairs);
    each_pair($corpus->{name}, sub {
        my ($english, $german, $fault) = @_;
        $count{read}++;
        my @keys = $fault ? () : (key($english), key($german));
        $fault ||= 'held out' if @keys && is_held(@keys);
        $fault ||= 'double' if $seen{join "\t", @keys, $english =~ /\w$/ ? '' : '.'}++;
        if ($fault) { $count{$fault}++ } else { push @pairs, "$english\t$german\n" }
    });
    my $all = @pairs;
    if ($corpus->{cap} ne '-' && $all > $corpus->{cap}) { # stretches of 20 lines
        my $share = $corpus->{cap} / $all;
        @pairs = map { $pairs[$_] } grep { my $at = int($_ / 20); int(($at + 1) * $share) > int($at * $share) } 0 .. $#pairs;
    }
    $count{'over the cap'} = $all - @pairs;
    $count{kept} = @pairs;
    (my $file = $corpus->{name}) =~ s{.*/}{};
    open my $text, '>', "$out/text/$file.tsv" or die "error: $out/text/$file.tsv: $!\n";
    print $text @pairs;
    close $text or die "error: $out/text/$file.tsv: $!\n";
    my @row = map { $count{$_} // 0 } 'read', @rules, 'over the cap', 'kept';
    print $dropped join(' | ', "| $file", @row), " |\n";
    $sum{$_} += $count{$_} // 0 for 'read', @rules, 'over the cap', 'kept';
}
print $dropped join(' | ', '| all', map { $sum{$_} // 0 } 'read', @rules, 'over the cap', 'kept'), " |\n";
close $dropped or die "error: $out/dropped: $!\n";
