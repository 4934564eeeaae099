# What people write and the corpora lack, made from the clean pairs; one run for each direction:
#
#     perl variants.pl TABLE OUT en-de|de-en
#
# Reads OUT/text/NAME.tsv and writes OUT/DIRECTION/KIND.tsv, English first. A corpus of twice the weight gives twice the copies. The
# same on every run.
#
# joined   two or three sentences on a line: neighbours of a text, or random ones of a list
# typed    source in small letters, without its last mark, or both
# quotes   source with other quotes and apostrophes
# commas   source without commas, in English without apostrophes
# umlauts  source with ae, oe, ue and ss (German to English)
# numbers  other numbers, prices, measures, dates and times of the day, each as its language writes it
# spans    what stands alike on both sides (names, numbers), or both quoted parts, replaced by the symbols U+E000 to U+E00F in the
#          order of the source; the same with tags around a name
# same     the translation on both sides: what is in the target language stays
# short    what counts most and has up to two words on a side: as it is, without the mark at the end, in small letters
# copied   the same with addresses, paths, codes and emoji in place of the symbols
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

my ($table, $out, $direction) = @ARGV;
my $from = $direction eq 'de-en' ? 1 : 0; # the side of the source
my %share = (joined => 0.12, typed => 0.05, quotes => 0.2, commas => 0.04, umlauts => 0.06, numbers => 0.25, spans => 0.06, copied => 0.03, same => 0.008, short => 1);
srand 1;

sub one { return $_[int rand @_] }
sub digits { return join '', map { int rand 10 } 1 .. $_[0] }
sub letters { return join '', map { chr(97 + int rand 26) } 1 .. $_[0] }
sub words { return split ' ', $_[0] }

# --- several sentences -----------------------------------------------------------------------------------------------------------

sub is_sentence {
    my ($english, $german) = @_;
    return $english =~ /^["“„'‘\p{Lu}\d].*\s.*[.!?…]["”’']?$/ && $german =~ /^["“„'‚\p{Lu}\d].*[.!?…]["“”’']?$/;
}

# Two or three pairs from place $at on, or undef.
sub joined {
    my ($pairs, $at, $order) = @_;
    my ($n, @parts) = (rand() < 0.65 ? 2 : 3);
    for my $i (0 .. $n - 1) {
        my $place = $order eq 'text' ? $at + $i : $i ? int rand @$pairs : $at;
        return undef if $place > $#$pairs || !is_sentence(@{$pairs->[$place]});
        push @parts, $pairs->[$place];
    }
    my @both = map { my $side = $_; join ' ', map { $_->[$side] } @parts } 0, 1;
    return undef if grep { (() = words($_)) > 80 } @both;
    return \@both;
}

# --- careless writing of the source ----------------------------------------------------------------------------------------------

sub typed {
    my $text = shift;
    my $kind = int rand 3;
    $text =~ s/[.!?…]+$// if $kind < 2;
    return $kind ? lc $text : $text;
}

# English curly, German straight, pointed or English.
sub other_quotes {
    my $text = shift;
    if ($from == 0) {
        $text =~ s/"([^"]*)"/“$1”/g;
        $text =~ s/(?<=\w)'/’/g;
        return $text;
    }
    my ($open, $close) = @{one(['"', '"'], ['»', '«'], ['“', '”'], ["'", "'"])};
    $text =~ s/„([^„“]*)“/$open$1$close/g;
    return $text;
}

sub without_commas {
    my $text = shift;
    $text =~ s/,(?=\s)//g;
    $text =~ s/(?<=\pL)['’](?=\pL)//g if $from == 0;
    return $text;
}

sub without_umlauts {
    my $text = shift;
    my %plain = (ä => 'ae', ö => 'oe', ü => 'ue', ß => 'ss', Ä => 'Ae', Ö => 'Oe', Ü => 'Ue');
    $text =~ s/([äöüßÄÖÜ])/$plain{$1}/g;
    return $text;
}

# --- numbers ---------------------------------------------------------------------------------------------------------------------

my @months = qw(January February March April May June July August September October November December);
my @monate = qw(Januar Februar März April Mai Juni Juli August September Oktober November Dezember);
my $month = join '|', @months;
my $monat = join '|', @monate;
my %measure = ( # English of a number: abbreviation, German, German abbreviation
    kilometers => ['km', 'Kilometer'], kilometres => ['km', 'Kilometer'], kilograms => ['kg', 'Kilogramm'], kilos => ['kg', 'Kilo'],
    meters => ['m', 'Meter'], metres => ['m', 'Meter'], centimeters => ['cm', 'Zentimeter'], centimetres => ['cm', 'Zentimeter'],
    millimeters => ['mm', 'Millimeter'], grams => ['g', 'Gramm'], liters => ['l', 'Liter'], litres => ['l', 'Liter'],
    tons => ['t', 'Tonnen'], tonnes => ['t', 'Tonnen'], percent => ['%', 'Prozent'], degrees => ['°C', 'Grad'],
    hours => ['h', 'Stunden'], minutes => ['min', 'Minuten'], seconds => ['s', 'Sekunden'], watts => ['W', 'Watt']);
my $measure = join '|', keys %measure;
my $masse = join '|', map { $_->[1] } values %measure;
my %money = ('$' => ['dollars', 'Dollar'], '€' => ['euros', 'Euro'], '£' => ['pounds', 'Pfund']);

# A number as the languages write it; $digits before the fraction, $fraction after it.
sub number {
    my ($digits, $fraction) = @_;
    my $english = (1 + int rand 9) . digits($digits - 1);
    $english = 2 + int rand 8 if $english < 2;
    if ($digits > 4 || ($digits == 4 && rand() < 0.8)) { 1 while $english =~ s/^(\d+)(\d{3})/$1,$2/ }
    (my $german = $english) =~ tr/,/./;
    return $fraction ? ("$english." . ($fraction = digits($fraction)), "$german,$fraction") : ($english, $german);
}

sub price {
    my ($english, $german) = number(1 + int rand 5, one(0, 2));
    my $sign = one(sort keys %money);
    my ($dollars, $dollar) = @{$money{$sign}};
    return (one("$sign$english", "$english $dollars"), "$german " . one($dollar, $sign));
}

sub amount {
    my ($english, $german) = number(1 + int rand 4, one(0, 0, 1, 2));
    my $unit = $_[0] =~ /(\pL+)$/ ? $1 : 'percent';
    my ($short, $long) = @{$measure{$unit}};
    return rand() < 0.5 ? ("$english $unit", "$german $long") : $unit eq 'percent' ? ("$english%", "$german %")
        : ("$english" . one('', ' ') . $short, "$german $short");
}

sub hour {
    my ($hour, $minute) = (int rand 24, sprintf '%02d', 5 * int rand 12);
    my $noon = $hour < 12 ? one('a.m.', 'am', 'AM') : one('p.m.', 'pm', 'PM');
    my $twelve = $hour % 12 || 12;
    my $german = $minute eq '00' && rand() < 0.5 ? "$hour Uhr" : "$hour:$minute Uhr";
    return (one("$hour:$minute", "$twelve:$minute $noon"), $german) if $from == 1 || rand() < 0.8;
    return ("$twelve $noon", "$hour Uhr");
}

sub date {
    my ($day, $at, $year) = (1 + int rand 28, int rand 12, 1800 + int rand 240);
    my $english = one("$months[$at] $day, $year", "$day $months[$at] $year");
    my $th = $day =~ /1$/ && $day != 11 ? 'st' : $day =~ /2$/ && $day != 12 ? 'nd' : $day =~ /3$/ && $day != 13 ? 'rd' : 'th';
    return rand() < 0.6 ? ($english, "$day. $monate[$at] $year") : (one("$months[$at] $day", "$months[$at] $day$th"), "$day. $monate[$at]");
}

# The pair with its only number of a kind replaced, or undef.
sub numbers {
    my ($english, $german) = @_;
    my $plain = qr/(?<![\w.,:\/-])(?!1\d{3}\b|20\d\d\b)\d{2,6}(?![\w:\/-]|[.,]\d)/; # no year
    my $n = qr/(?<![\d.,:])\d[\d.,]*(?<![.,])(?![\d:])/;
    my @kinds = (
        [qr/[\$€£]$n|$n (?:dollars|euros|pounds)\b/, qr/$n (?:Dollar|Euro|Pfund)\b|$n ?[\$€£]/, \&price],
        [qr/$n (?:$measure)\b|$n%/, qr/$n (?:$masse)\b|$n ?%/, \&amount],
        [qr/\d{1,2}:\d\d(?: ?[ap]\.?m\b\.?)?|\d{1,2} (?:o['’]clock|[ap]\.m\.)/i, qr/\d{1,2}(?:[:.]\d\d)? Uhr/, \&hour],
        [qr/\b(?:$month) \d{1,2}(?:st|nd|rd|th)?(?:, \d{4})?\b|\b\d{1,2} (?:$month)(?: \d{4})?\b/, qr/\b\d{1,2}\. (?:$monat)(?: \d{4})?\b/, \&date],
        [$plain, $plain, sub { my $n = length shift; number($n < 4 ? $n : 4 + int rand 4, 0) }]);
    for my $kind (@kinds) {
        my ($old, $alt, $make) = @$kind;
        my @found = $english =~ /$old/g;
        next unless @found == 1 && (() = $german =~ /$alt/g) == 1;
        my ($new, $neu) = $make->($found[0]);
        $english =~ s/$old/$new/;
        $german =~ s/$alt/$neu/;
        $english =~ s/([ap]\.m\.)\.$/$1/;
        return [$english, $german];
    }
    return undef;
}

# --- what is carried over --------------------------------------------------------------------------------------------------------

my @emoji = qw(😀 😂 🙂 😉 😊 😍 😎 🤔 😴 😢 😭 😡 🙄 👍 👎 👋 🙏 💪 ❤️ 💔 🎉 🎂 🎁 🌍 🌞 ⭐ 🔥 ☔ ❄️ 🌈 🐶 🐱 🍎 🍕 🍺 ☕ 🚗 🚲 🚀 ✈️ 🏠 ⚽ 🎵 📷 📱 💻 📧 📚 💡 ✅ ❌ ⚠️ ➡️ 🤣 🥰 🤷 🎄 🇩🇪 🇬🇧);
my @tags = (['<b>', '</b>'], ['<i>', '</i>'], ['<em>', '</em>'], ['<strong>', '</strong>'], ['**', '**'], ['*', '*'], ['`', '`'],
    ['<code>', '</code>'], ['<a href="#">', '</a>'], ['<span>', '</span>'], ['[', '](url)'], ['_', '_']);

sub name { return join '', map { one(qw(b d f g h k l m n p r s t w br kl st)) . one(qw(a e i o u ai)) } 1 .. 2 + int rand 2 }
sub host { return name() . '.' . one(qw(com org net de eu io info)) }

# Something that no language translates.
sub span {
    my $kind = int rand 13;
    return 'https://' . one('', 'www.') . host() . one('', '/', '/' . name(), '/' . name() . '/' . digits(3), '/?id=' . digits(4)) if $kind < 2;
    return name() . one('', '.' . name()) . '@' . host() if $kind == 2;
    return one('/' . join('/', one(qw(usr etc home var)), name(), name()), '~/' . name() . '.txt', 'C:\\' . name() . '\\' . name(), name() . one(qw(.pdf .jpg .txt .c .py .html))) if $kind == 3;
    return one('%s', '%d', '%1$s', '%2$d', '%i', '%.2f', '%(' . name() . ')s') if $kind == 4;
    return one('{name}', '{0}', '{1}', '{' . name() . '}', '${' . name() . '}', '{{' . name() . '}}', '$' . name(), '%' . uc(name()) . '%') if $kind == 5;
    return one('`' . name() . '()`', '`--' . name() . '`', name() . '_' . name(), '--' . name(), name() . '()', uc(name()) . '_' . uc(name())) if $kind == 6;
    return one('', 'v') . join('.', map { int rand 20 } 1 .. 2 + int rand 2) if $kind == 7;
    return one(@emoji) if $kind == 8;
    return one(digits(5 + int rand 8), '+' . digits(2) . ' ' . digits(3) . ' ' . digits(6), uc(letters(2)) . digits(4), '#' . digits(3)) if $kind == 9;
    return '@' . name() if $kind == 10;
    return '#' . name() if $kind == 11;
    return ucfirst name();
}

# Words that one language has as a word and the other as another.
my %ambiguous = map { $_ => 1 } qw(In Was So An Will Die Her Hat Am Also Not Fast Arm Hand Man Den Des Dies War Bad Rat Gut Art Boot
    Kind Gift Wand Wage Tag Brief Bald Herd Hut Rock Stern Strand Wo Da All Er Es Im Ob Man's I A Bei Mine Mist Fall Grab Hose Last
    Lager List Log Made Main Mode Most Rang Roman See Tod Toll Ton Wider Wild Warm Not Name Alter After On Ohm Mal Note);

# Where each word that may be replaced stands on both sides: it is there alike, once on each.
sub alike {
    my ($english, $german) = @_;
    my (%count, @words);
    my $word = qr/(?<![\p{L}\p{N}])[\p{L}\p{N}][\p{L}\p{N}._\/@+-]*(?<![._\/+-])(?![\p{L}\p{N}'’])/;
    $count{$_}++ for $english =~ /$word/g;
    for ($german =~ /$word/g) { push @words, $_ if ($count{$_} // 0) == 1; $count{$_} = 99 if $count{"de $_"}++ }
    return grep { ($count{"de $_"} // 0) == 1 && !$ambiguous{$_} && (/^\d{3,}$/ || /^\p{Lu}\p{Ll}{2,}/ || /\p{L}.*[\d._\/@]|[\d._\/@].*\p{L}|\p{Lu}.*\p{Lu}/) } @words;
}

# Puts the strings $new in the place of the word on both sides.
sub put {
    my ($pair, $word, $new) = @_;
    s/(?<![\p{L}\p{N}])\Q$word\E(?![\p{L}\p{N}])/$new/ for @$pair;
}

# Marks where something stands that is to be carried over: \x01 and a letter each, l where a list may have its mark. undef: this pair has no place for it.
sub marked {
    my @pair = @_;
    my ($n, @words) = (0, alike(@pair));
    my $quote = qr/["“„‚‘]([^"“”„‚‘’]{2,40})["“”‘’]/;
    if (rand() < 0.4 && (() = $pair[0] =~ /$quote/g) == 1 && (() = $pair[1] =~ /$quote/g) == 1) {
        my $bare = rand() < 0.5;
        for (@pair) { if ($bare) { s/$quote/\x01a/ } else { s/(["“„‚‘])[^"“”„‚‘’]{2,40}(?=["“”‘’])/$1\x01a/ } }
        $n = 1;
    } elsif (@words) {
        for my $word (@words > 3 ? @words[0 .. 2] : @words) {
            next if $n && rand() < 0.3;
            my ($first, $second) = map { "\x01" . chr(97 + $_) } $n, $n + 1;
            my $around = !$n && rand() < 0.4;
            put(\@pair, $word, $around ? "$first$word$second" : $first);
            $n += $around ? 2 : 1;
        }
    } else {
        return undef if rand() < 0.75; # most have no place within: a few of them, before, after, around
        my $place = int rand 7;
        for (@pair) {
            if ($place == 0) { s/^/\x01l / }
            elsif ($place == 1) { s/$/ \x01a/ }
            elsif ($place == 2) { s/^/\x01a: / }
            elsif ($place == 3) { s/$/ (\x01a)/ }
            elsif ($place == 4) { s/^(.*)$/\x01a$1\x01b/ }
            elsif ($place == 5) { s/([.!?]?)$/: \x01a/ }
            else { s/^(.*)$/\x01a $1 \x01b/ }
        }
    }
    return \@pair;
}

# The symbols in the order of the source.
sub with_symbols {
    my @pair = @{$_[0]};
    my ($n, %symbol) = (0);
    $symbol{$1} //= chr(0xE000 + $n++) while $pair[$from] =~ /\x01(.)/g;
    s{\x01(.)}{$symbol{$1} // ''}ge for @pair;
    return \@pair;
}

# Things of the world instead; marks that stand around a word become tags, and some at the beginning those of a list.
sub with_spans {
    my @pair = @{$_[0]};
    my %span;
    $span{l} = one('-', '*', '•', '–', '1.', '2.', '3)', 'a)', '(b)', '>', '#', '##', '[x]') if rand() < 0.6;
    my ($open, $close) = $pair[$from] =~ /\x01(.)[^\x01]+\x01(.)/;
    @span{$open, $close} = @{one(@tags)} if $open && $pair[1 - $from] =~ /\x01$open[^\x01]+\x01$close/;
    s{\x01(.)}{$span{$1} //= span()}ge for @pair[$from, 1 - $from];
    return \@pair;
}

# ---------------------------------------------------------------------------------------------------------------------------------

mkdir "$out/$direction";
my %file;
for my $kind (sort keys %share) {
    next if $kind eq 'umlauts' && $from == 0;
    open $file{$kind}, '>', "$out/$direction/$kind.part" or die "error: $out/$direction/$kind.part: $!\n";
}
my %make = (
    typed => sub { typed($_[0]) }, quotes => sub { other_quotes($_[0]) }, commas => sub { without_commas($_[0]) }, umlauts => sub { without_umlauts($_[0]) });
my %carry = (spans => \&with_symbols, copied => \&with_spans);

open my $rows, '<', $table or die "error: $table: $!\n";
while (<$rows>) {
    next if /^#/ || !/\S/;
    s/^\s+|\s+$//g;
    my ($name, $field, undef, $weight, $order) = split /\s*\|\s*/;
    my $counts_most = $field eq 'everyday' && $weight >= 2;
    $name =~ s{.*/}{};
    open my $in, '<', "$out/text/$name.tsv" or next; # left out of this build
    my @pairs = map { chomp; [split /\t/] } <$in>;
    for my $at (0 .. $#pairs) {
        my @pair = @{$pairs[$at]};
        for my $kind (sort keys %file) {
            next if rand() >= $share{$kind} * $weight;
            my $new;
            if ($kind eq 'joined') {
                $new = joined(\@pairs, $at, $order);
            } elsif ($kind eq 'short') {
                next unless $counts_most && grep { (() = words($_)) <= 2 } @pair;
                s/[.!?]+$// for my @bare = @pair;
                my @small = @bare;
                $small[$from] = lc $small[$from];
                print {$file{short}} map { "$_->[0]\t$_->[1]\n" } \@pair, \@bare, [$from ? ($pair[0], $small[1]) : ($small[0], $pair[1])];
            } elsif ($kind eq 'same') {
                $new = [($pair[1 - $from]) x 2] if (() = words($pair[0])) > 2;
            } elsif ($kind eq 'numbers') {
                $new = numbers(@pair);
            } elsif ($carry{$kind}) {
                my $marked = marked(@pair);
                $new = $carry{$kind}->($marked) if $marked;
            } else {
                my $source = $make{$kind}->($pair[$from]);
                next if $source eq $pair[$from] || $source eq '';
                $new = [@pair];
                $new->[$from] = $source;
            }
            print {$file{$kind}} "$new->[0]\t$new->[1]\n" if $new;
        }
    }
}
for my $kind (keys %file) {
    close $file{$kind} or die "error: $out/$direction/$kind.part: $!\n";
    rename "$out/$direction/$kind.part", "$out/$direction/$kind.tsv";
}
