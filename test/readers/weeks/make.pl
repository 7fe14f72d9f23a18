# Closures as Data::ICal writes them.
use strict;
use warnings;
use Data::ICal;
use Data::ICal::Entry::Event;
use JSON::PP;
use Time::Local qw(timegm);

my $specs = do { local $/; open my $in, '<', 'specs.json' or die; decode_json(<$in>) };

sub at {
    my ($parts, $minutes, $whole) = @_;
    my ($y, $m, $d, $h, $min) = (@$parts, 0, 0);
    my @t = gmtime(timegm(0, $min, $h, $d, $m - 1, $y) + 60 * $minutes);
    my $date = sprintf('%04d%02d%02d', $t[5] + 1900, $t[4] + 1, $t[3]);
    return [ $date, { VALUE => 'DATE' } ] if $whole;
    return [ $date . sprintf('T%02d%02d00', $t[2], $t[1]), { TZID => 'Europe/London' } ];
}

sub file {
    my $calendar = Data::ICal->new();
    for my $spec (@{ $_[0] }) {
        my $event = Data::ICal::Entry::Event->new();
        $event->add_properties(
            uid     => $spec->{uid},
            dtstamp => '20261129T000000Z',
            summary => 'Closed',
            dtstart => at($spec->{start}, 0,                $spec->{allDay}),
            dtend   => at($spec->{start}, $spec->{minutes}, $spec->{allDay}),
        );
        if (my $rule = $spec->{rule}) {
            $event->add_properties(rrule => "FREQ=$rule->{freq};COUNT=$rule->{count}");
            $event->add_properties(exdate => at($spec->{without}, 0, $spec->{allDay})) if $spec->{without};
        }
        $calendar->add_entry($event);
    }
    return $calendar->as_string;
}

open my $out, '>', 'perl.json' or die;
print $out encode_json({ 'Data::ICal' => [ map { file($_) } @{ $specs->{'Data::ICal'} } ] });
