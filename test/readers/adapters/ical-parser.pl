use strict;
use warnings;
use iCal::Parser;
use JSON::PP;

sub instant { my $time = shift->clone; $time->set_time_zone('UTC'); return $time->iso8601 . 'Z' }

my @found;
for my $file (@ARGV) {
    my $parser   = iCal::Parser->new(start => '20270101', end => '20280101');
    my $calendar = $parser->parse($file);
    my %whole;
    for my $day (map { values %$_ } map { values %$_ } values %{ $calendar->{events} }) {
        for my $event (values %$day) {
            # One that goes on after midnight comes in parts.
            my $found = $whole{ $event->{UID} } //= {
                uid      => $event->{UID},
                start    => '9',
                end      => '',
                sequence => $event->{SEQUENCE},
                status   => $event->{STATUS},
                method   => $calendar->{cals}[0]{METHOD},
                title    => $event->{SUMMARY},
            };
            my ($start, $end) = (instant($event->{DTSTART}), instant($event->{DTEND}));
            $found->{start} = $start if $start lt $found->{start};
            $found->{end}   = $end   if $end gt $found->{end};
        }
    }
    push @found, values %whole;
}
print encode_json(\@found);
