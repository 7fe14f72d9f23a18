/**
 * What every peer answers: the query behind `get_playroom`, its columns as they are (the service takes them as one
 * text, which costs the database the same), and the JSON made from its row, as the service makes it. Of what the
 * service has read before, it asks for the version alone.
 */
import { shortAnswer, viewOf } from "../../../src/domain/catalogue/Views.ts"
import {
  closureColumn,
  priceColumns,
  venueColumns,
  venueOf,
  viewVersion
} from "../../../src/domain/catalogue/Catalogue.ts"

// The fragments as text: the only value in them is the time.
const text = Object.assign(
  (parts: TemplateStringsArray, ...values: ReadonlyArray<unknown>) =>
    parts.reduce((before, part, i) => before + (typeof values[i - 1] === "string" ? values[i - 1] : "$1") + part),
  { literal: (part: string) => part }
)

/** $1: now, $2: the playroom's id. */
export const query = `select ${venueColumns(text)}, ${closureColumn(text, 0)}, ${priceColumns(text, 0)}
  from playroom p join operator o using (operator_id) where p.playroom_id = $2 and p.listed`

/** With the version of the row. */
export const queryWithVersion = query.replace("select", `select ${viewVersion(text, 0)} as version,`)

/** The version alone. */
export const versionQuery = `select ${viewVersion(text, 0)} as version from playroom p where p.playroom_id = $2`

/** The tool's structured result. */
export const resultOf = (row: any) => shortAnswer(viewOf(venueOf(row), row.closures, row))

export const tool = {
  name: "get_playroom",
  description: "One playroom in full: packages, add-ons, opening hours, rules, cancellation terms."
}

export const port = Number(process.env.PORT)
export const databaseUrl = process.env.DATABASE_URL ?? ""
/** Connections to the database: as many as the service has. */
export const connections = 16
