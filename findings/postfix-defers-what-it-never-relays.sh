#!/usr/bin/env bash
# "Relay access denied" comes as a refusal for now.
#
# Guess: a server that does not pass letters on for us refuses them for good: 550 or 554, as exim and OpenSMTPD do.
# What happens: the default since 2.10 is defer_unauth_destination: "454 4.7.1 Relay access denied", for each letter,
# until somebody changes the configuration. reject_unauth_destination alone says 554 5.7.1.
# Seen: 2026-11-29, postfix 3.7.11-0+deb12u1 (Debian 12).
# Why it matters here: the same fault of the sender's is "try later" at one server and "this address is wrong" at
# another. Neither may lose a letter: both wait, and are one finding that names MAIL_FROM.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download postfix=3.7.11-0+deb12u1 2>/dev/null
dpkg -x postfix_*.deb .
mkdir settings
echo "compatibility_level = 3.6" >settings/main.cf
touch settings/master.cf
seen="$(LD_LIBRARY_PATH=usr/lib/postfix usr/sbin/postconf -c settings -hx smtpd_relay_restrictions)"
echo "$seen"
expected="permit_mynetworks, permit_sasl_authenticated, defer_unauth_destination"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
