#!/usr/bin/env bash
# 09:00 is a text in Python and 32400 in Ruby; 18:00 is 1080 in Python and 64800 in Ruby.
#
# Guess: 18:00 without quotes is a text, or the number of YAML 1.1's base 60, 1080, for every reader of YAML 1.1; and
# 09:00 is the same kind of thing.
# What happens: PyYAML has 1080 for 18:00, and the text "09:00", since its numbers don't begin with a zero. Ruby has
# 64800 for 18:00 and 32400 for 09:00: it takes two parts for hours and minutes, and gives seconds. So PyYAML writes a
# text "18:00" in quotes and "09:00" without, and Ruby reads what PyYAML wrote as a number and a text.
# Seen: 2026-11-29, python3-yaml 6.0-3+b2, Python 3.11, Ruby 3.1.2 with Psych 4.0.3 (Debian 12).
# Why it matters here: venue.yaml is passed through such scripts, one that raises prices and one that adds a room. Our
# reader is of YAML 1.2, where times are texts with quotes or without. A number in their place is refused with its line.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download ruby3.1 libruby3.1 libyaml-0-2 python3-yaml=6.0-3+b2 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
library="usr/lib/$(uname -m)-linux-gnu"
export LD_LIBRARY_PATH="$folder/$library" PYTHONPATH="$folder/usr/lib/python3/dist-packages"
ruby="usr/bin/ruby3.1 --disable-gems -I usr/lib/ruby/3.1.0 -I $library/ruby/3.1.0 -r yaml"
hours='{opens: 09:00, closes: 18:00}'
/usr/bin/python3 -c 'import yaml; print(yaml.safe_dump({"opens": "09:00", "closes": "18:00"}), end="")' >written.yaml
seen="PyYAML $(/usr/bin/python3 -c 'import sys, yaml; print(yaml.safe_load(sys.argv[1]))' "$hours")
Ruby $($ruby -e 'p YAML.load(ARGV[0])' "$hours")
written by PyYAML $(paste -sd ' ' written.yaml)
read by Ruby $($ruby -e 'p YAML.load_file("written.yaml")')"
echo "$seen"
expected="PyYAML {'opens': '09:00', 'closes': 1080}
Ruby {\"opens\"=>32400, \"closes\"=>64800}
written by PyYAML closes: '18:00' opens: 09:00
read by Ruby {\"closes\"=>\"18:00\", \"opens\"=>32400}"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
