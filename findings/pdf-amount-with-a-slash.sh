#!/usr/bin/env bash
# A receipt over 1 234,50 € says 1 /234,50 €, and a refund begins with a quotation mark.
#
# Guess: a letter that a PDF's standard fonts don't have is a box or nothing, or raises an error. A space is a space.
# What happens: French has a narrow no-break space between thousands, U+202F, as Intl writes it. pdfkit and jsPDF cut it
# into its two bytes, 20 and 2F: a space and a slash. Swedish has the sign U+2212 before what is less than nothing: a
# quotation mark. Both say nothing, and the euro is right. pdf-lib raises an error for either.
# Seen: 2026-11-29, pdfkit 0.20.2, jspdf 4.2.1, pdf-lib 1.17.1, read by pdfjs-dist 4.10.38; Node 24.21.0 (ICU 78.3).
# Why it matters here: a receipt is tried with 240,50 €, which is right. Amounts from a thousand on, and refunds, are
# not. Our receipts are pages that a browser prints, with whatever letters its fonts have.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error --omit=optional \
  node@24.21.0 pdfkit@0.20.2 jspdf@4.2.1 pdf-lib@1.17.1 >/dev/null 2>&1
npm install --no-audit --no-fund --loglevel=error --omit=optional pdfjs-dist@4.10.38 >/dev/null 2>&1
cat >try.mjs <<'JS'
import { jsPDF } from "jspdf"
import { PDFDocument, StandardFonts } from "pdf-lib"
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs"
import PdfKit from "pdfkit"

const money = (language, currency, amount) =>
  new Intl.NumberFormat(language, { style: "currency", currency }).format(amount)
const lines = [money("fr", "EUR", 240.5), money("fr", "EUR", 1234.5), money("sv", "SEK", -5)]

const byPdfKit = async (line) => {
  const document = new PdfKit()
  document.text(line)
  document.end()
  return Buffer.concat(await Array.fromAsync(document))
}
const byJsPdf = async (line) => {
  const document = new jsPDF()
  document.text(line, 20, 20)
  return document.output("arraybuffer")
}
const byPdfLib = async (line) => {
  const document = await PDFDocument.create()
  document.addPage().drawText(line, { font: await document.embedFont(StandardFonts.Helvetica) })
  return document.save()
}
const read = async (bytes) => {
  const pages = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise
  const { items } = await (await pages.getPage(1)).getTextContent()
  return items.map(({ str }) => str).join("").replaceAll(/\s/g, "")
}
for (const [name, write] of Object.entries({ pdfkit: byPdfKit, jspdf: byJsPdf, "pdf-lib": byPdfLib }))
  for (const line of lines) {
    const seen = await write(line).then(read).catch((error) => error.message.replaceAll(/[^\x20-\x7e]/g, ""))
    console.log(`${name}: ${seen}`)
  }
process.exit(0)
JS
# pdfjs-dist tells what it can't draw with.
seen="$(node_modules/.bin/node try.mjs 2>/dev/null | grep -E '^(pdfkit|jspdf|pdf-lib): ')"
echo "$seen"
[ "$seen" = 'pdfkit: 240,50€
pdfkit: 1/234,50€
pdfkit: "5,00kr
jspdf: 240,50€
jspdf: 1/234,50€
jspdf: "5,00kr
pdf-lib: 240,50€
pdf-lib: WinAnsi cannot encode "" (0x202f)
pdf-lib: WinAnsi cannot encode "" (0x2212)' ] || { echo "This has changed." >&2; exit 1; }
