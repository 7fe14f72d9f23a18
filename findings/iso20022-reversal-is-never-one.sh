#!/usr/bin/env bash
# A payment that the bank takes back is not taken back.
#
# Guess: an entry of a camt.053 statement with <RvslInd>true</RvslInd> has reversal: true. The library's types promise
# a boolean of that name.
# What happens: it is false for each entry, marked or not. The XML parser makes a boolean of "true", and the library
# compares it with the text "true".
# Seen: 2026-11-30, iso20022.js 0.0.15, Node 20.20.2.
# Why it matters here: a direct debit that a family's bank returns looks like any other payment out, and the booking
# stays paid. A field that is always there and always false shows in no trial with usual entries.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error iso20022.js@0.0.15 >/dev/null
cat >try.mjs <<'JS'
import { CashManagementEndOfDayReport } from "iso20022.js"

const entry = (reference, sign, reversal) =>
  `<Ntry><NtryRef>${reference}</NtryRef><Amt Ccy="EUR">49.90</Amt><CdtDbtInd>${sign}</CdtDbtInd>${reversal}` +
  "<Sts>BOOK</Sts><BookgDt><Dt>2027-06-07</Dt></BookgDt><ValDt><Dt>2027-06-07</Dt></ValDt>" +
  "<BkTxCd><Prtry><Cd>NTRF</Cd></Prtry></BkTxCd></Ntry>"
const balance = (code, amount) =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd>` +
  "<Dt><Dt>2027-06-07</Dt></Dt></Bal>"
const report = CashManagementEndOfDayReport.fromXML(
  '<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">' +
    "<BkToCstmrStmt><GrpHdr><MsgId>M1</MsgId><CreDtTm>2027-06-07T20:00:00</CreDtTm></GrpHdr>" +
    "<Stmt><Id>S1</Id><ElctrncSeqNb>1</ElctrncSeqNb><CreDtTm>2027-06-07T20:00:00</CreDtTm>" +
    "<Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy>" +
    "<Svcr><FinInstnId><BIC>COBADEFFXXX</BIC></FinInstnId></Svcr></Acct>" +
    balance("OPBD", "1000.00") +
    balance("CLBD", "1049.90") +
    entry("plain", "CRDT", "") +
    entry("marked-false", "CRDT", "<RvslInd>false</RvslInd>") +
    entry("marked-true", "DBIT", "<RvslInd>true</RvslInd>") +
    "</Stmt></BkToCstmrStmt></Document>",
)
for (const { referenceId, creditDebitIndicator, amount, reversal } of report.statements[0].entries)
  console.log(`${referenceId}: ${creditDebitIndicator} ${amount}, reversal ${reversal}`)
JS
seen="$(node try.mjs)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
plain: credit 4990, reversal false
marked-false: credit 4990, reversal false
marked-true: debit 4990, reversal false
SEEN
