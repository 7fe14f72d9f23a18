import { assert, describe, it } from "@effect/vitest"
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { Schema } from "effect"

/** Currencies that ended before are in no catalogue. */
const from = "2000-01-01"
const file = join(import.meta.dirname, "../../../src/platform/money/EndedCurrencies.ts")
const require = createRequire(import.meta.url)

const Use = Schema.Struct({
  _from: Schema.optionalKey(Schema.String),
  _to: Schema.optionalKey(Schema.String),
  _tender: Schema.optionalKey(Schema.String)
})
const Region = Schema.Array(Schema.Record(Schema.String, Use))
const CurrencyData = Schema.Struct({
  supplemental: Schema.Struct({
    currencyData: Schema.Struct({ region: Schema.Record(Schema.String, Region) })
  })
})
const Manifest = Schema.Struct({ version: Schema.String })

const read = <A, I>(schema: Schema.Codec<A, I>, name: string): A =>
  Schema.decodeUnknownSync(schema)(JSON.parse(readFileSync(require.resolve(`cldr-core/${name}`), "utf8")))

/** The table as CLDR has it: what was tender somewhere, and is or will be so nowhere. */
const fromCldr = (): string => {
  const { version } = read(Manifest, "package.json")
  const { region } = read(CurrencyData, "supplemental/currencyData.json").supplemental.currencyData
  const uses = Object.entries(region).flatMap(([place, currencies]) =>
    currencies
      .flatMap((one) => Object.entries(one))
      .filter(([, { _tender }]) => _tender !== "false")
      .map(([currency, { _from, _to }]) => ({ place, currency, since: _from ?? "", until: _to }))
  )
  const rows = [...Map.groupBy(uses, ({ currency }) => currency)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([currency, its]) => {
      if (its.some(({ until }) => until === undefined)) return []
      const until =
        its
          .map((use) => use.until ?? "")
          .toSorted()
          .at(-1) ?? ""
      if (until < from) return []
      const last = new Set(its.filter((use) => use.until === until).map(({ place }) => place))
      const now = uses
        .filter((use) => use.until === undefined && last.has(use.place))
        .toSorted((a, b) => (a.since > b.since ? -1 : 1))
      const instead = new Map(now.map((use) => [use.currency, use.since]))
      const shown = [...instead].map(([code, since]) => `${code}: "${since}"`).join(", ")
      return [`  ${currency}: { until: "${until}", instead: { ${shown} } }`]
    })
  return `/**
 * Currencies that were tender since ${from}, and are so nowhere after a day: that day, past or to come, and what is
 * tender there now, since when. From CLDR's supplemental currency data.
 *
 * Of cldr-core ${version}. UPDATE_DOCS=1 npx vitest run test/platform/money/EndedCurrencies.test.ts writes it.
 */
export const endedCurrencies: Readonly<
  Record<string, { readonly until: string; readonly instead: Readonly<Record<string, string>> }>
> = {
${rows.join(",\n")}
}
`
}

describe("currencies that ended", () => {
  it("are as CLDR has them (UPDATE_DOCS=1 writes them)", () => {
    const now = fromCldr()
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, now)
    assert.strictEqual(
      readFileSync(file, "utf8"),
      now,
      "UPDATE_DOCS=1 npx vitest run test/platform/money/EndedCurrencies.test.ts writes src/platform/money/EndedCurrencies.ts"
    )
  })
})
