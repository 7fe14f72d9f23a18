#!/usr/bin/env bash
# In Vancouver it is summer all winter, or it is the time of another range of mountains.
#
# Guess: 15 January 2027, 14:00 in Vancouver is "Pacific Standard Time", or by now just "Pacific Time": British Columbia
# keeps -07:00 all year since 2026. Whatever its name, it is one name.
# What happens: Intl says "Pacific Daylight Time", PDT, in January. The tz database says MST, which Intl says of Denver.
# Calgary has "Mountain Daylight Time" by Intl and CST by the database. The offsets are the same in both.
# Seen: 2026-11-29, Node 24.21.0 (ICU 78.3, tz 2026c); Debian's tzdata 2026f with Python 3.11.
# Why it matters here: a letter that names the zone says one thing and a page from another runtime another, of one time;
# "daylight time" in January looks like a fault of ours. Beside a time has to stand its place or its offset.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error node@24.21.0 >/dev/null
apt-get -qq download tzdata=2026f-0+deb12u1 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >try.mjs <<'JS'
const at = new Date("2027-01-15T21:00Z")
for (const timeZone of ["America/Vancouver", "America/Edmonton", "America/Denver"]) {
  const name = (timeZoneName) => {
    const parts = new Intl.DateTimeFormat("en-CA", { timeZone, timeZoneName }).formatToParts(at)
    return parts.find(({ type }) => type === "timeZoneName").value
  }
  console.log(`${timeZone}: ${name("long")}, ${name("short")}, ${name("longOffset")}`)
}
JS
cat >try.py <<'PY'
from datetime import datetime, timezone
from zoneinfo import ZoneInfo, reset_tzpath

reset_tzpath(to=["FOLDER/usr/share/zoneinfo"])
for name in ("America/Vancouver", "America/Edmonton", "America/Denver"):
    print(datetime(2027, 1, 15, 21, tzinfo=timezone.utc).astimezone(ZoneInfo(name)).strftime(f"{name}: %Z, %z"))
PY
sed -i "s|FOLDER|$folder|" try.py
seen="$(node_modules/.bin/node try.mjs; /usr/bin/python3 try.py)"
echo "$seen"
expected="America/Vancouver: Pacific Daylight Time, PDT, GMT-07:00
America/Edmonton: Mountain Daylight Time, MDT, GMT-06:00
America/Denver: Mountain Standard Time, MST, GMT-07:00
America/Vancouver: MST, -0700
America/Edmonton: CST, -0600
America/Denver: MST, -0700"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
