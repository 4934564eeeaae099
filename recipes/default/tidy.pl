# Writes the corpora of a table as one text, English, German and the file's name, with one form of white space, quotes and spelling:
#
#     perl tidy.pl TABLE CORPUS_FOLDER
#
# The corpus `own` are the files beside this script. SHARE_ALIKE=no leaves out the corpora whose licence is share-alike.
use strict;
use warnings;
use utf8;
use FindBin;
use open qw(:std :encoding(UTF-8));

my ($table, $folder) = @ARGV;
my %reform = (daß => 'dass', muß => 'muss', mußt => 'musst', mußte => 'musste', mußten => 'mussten', wußte => 'wusste',
    läßt => 'lässt', laß => 'lass', bißchen => 'bisschen', Fluß => 'Fluss', Schluß => 'Schluss', Kuß => 'Kuss',
    wußten => 'wussten', müßte => 'müsste', müßten => 'müssten', Einfluß => 'Einfluss', Haß => 'Hass', Schloß => 'Schloss');

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
    return "$english\t$german";
}

# The command that writes a corpus.
sub reader {
    my $name = shift;
    return ('cat', sort glob "$FindBin::Bin/own/*.tsv") if $name eq 'own';
    -f "$folder/$name.tsv.xz" or die "error: $folder/$name.tsv.xz is missing\n";
    return ('xz', '-dc', "$folder/$name.tsv.xz");
}

my @names;
open my $rows, '<', $table or die "error: $table: $!\n";
while (<$rows>) {
    next if /^#/ || !/\S/;
    s/^\s+|\s+$//g;
    my ($name, $share) = (split /\s*\|\s*/)[0, 5];
    next if ($ENV{SHARE_ALIKE} // 'yes') eq 'no' && $share eq 'yes';
    reader($name);
    push @names, $name;
}
for my $name (@names) {
    open my $in, '-|:encoding(UTF-8)', reader($name) or die "error: $name: $!\n";
    (my $file = $name) =~ s{.*/}{};
    while (<$in>) {
        chomp;
        print tidy((split /\t/, $_, -1)[0, 1]), "\t$file\n";
    }
    close $in or die "error: corpus $name cannot be read\n";
}
