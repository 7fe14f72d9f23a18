/** Letters that a mail server would send. The sandbox keeps the newest and shows them on its page; nobody gets them. */
import { Clock, Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { html } from "../../platform/text/Html.ts"
import { InstantFromDate } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { failed, message, page } from "./Pages.ts"

/** A letter for the sandbox's page. */
interface SandboxLetter {
  readonly letter_id: string
  readonly booking_id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly entry?: { readonly name: string; readonly text: string }
  readonly stop_url?: string
}

/** Older letters are forgotten. */
const maxLetters = 200

/** Keeps a letter. One with the same id is kept once. */
export const keepLetter = Effect.fn("Sandbox.keepLetter")(function* (letter: SandboxLetter) {
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* Clock.currentTimeMillis)
  yield* sql`insert into sandbox.letter (letter_id, booking_id, recipient, subject, body, html, entry_name, entry, stop_url, created_at)
    values (${letter.letter_id}, ${letter.booking_id}, ${letter.to}, ${letter.subject}, ${letter.text}, ${letter.html},
      ${letter.entry?.name ?? null}, ${letter.entry?.text ?? null}, ${letter.stop_url ?? null}, ${now}) on conflict do nothing`
  yield* sql`delete from sandbox.letter where seq <= (select seq from sandbox.letter order by seq desc offset ${maxLetters}::int limit 1)`
})

const Row = Schema.Struct({
  letter_id: Schema.String,
  recipient: Schema.String,
  subject: Schema.String,
  body: Schema.String,
  html: Schema.String,
  entry_name: Schema.NullOr(Schema.String),
  entry: Schema.NullOr(Schema.String),
  stop_url: Schema.NullOr(Schema.String),
  created_at: InstantFromDate
})
const rowsOf = decodeRows(Schema.Array(Row))

const listed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* rowsOf(sql`select letter_id, recipient, subject, '' as body, '' as html, null as entry_name,
      null as entry, null as stop_url, created_at from sandbox.letter order by seq desc`)
  const items = rows.map(
    ({ created_at, letter_id, recipient, subject }) =>
      html`<li><a href="/letters/${letter_id}">${subject}</a><br><span class="soft">to ${recipient}, ${new Date(created_at).toISOString()}</span></li>`
  )
  return page(
    "Letters (sandbox)",
    html`<div class="card"><h1>Letters to families</h1>
<p>With <code>MAIL_URL</code> a mail server sends them. Without it nobody gets them, and the newest ${maxLetters} stand here.</p>
${items.length === 0 ? html`<p>None was written yet: book something, and pay.</p>` : html`<ul>${items}</ul>`}
<p><a href="/">To the payments</a></p></div>`
  )
}).pipe(Effect.catchTag("SqlError", () => Effect.succeed(failed)))

const found = Effect.gen(function* () {
  const { id = "" } = yield* HttpRouter.params
  const sql = yield* SqlClient.SqlClient
  const [row] =
    yield* rowsOf(sql`select letter_id, recipient, subject, body, html, entry_name, entry, stop_url, created_at
    from sandbox.letter where letter_id = ${id}`)
  return Option.fromUndefinedOr(row)
})

const noLetter = message("No such letter", "It was never written, or is too old.", 404)

const orNone = (answer: (row: typeof Row.Type) => HttpServerResponse.HttpServerResponse) =>
  Effect.map(found, Option.match({ onNone: () => noLetter, onSome: answer })).pipe(
    Effect.catchTag("SqlError", () => Effect.succeed(failed))
  )

const shownLetter = (row: typeof Row.Type) =>
  page(
    row.subject,
    html`<div class="card"><h1>${row.subject}</h1>
<dl><dt>To</dt><dd>${row.recipient}</dd>
${row.entry_name === null ? "" : html`<dt>Attached</dt><dd><a href="/letters/${row.letter_id}/entry">${row.entry_name}</a></dd>`}
${row.stop_url === null ? "" : html`<dt>Stops reminders</dt><dd><a href="${row.stop_url}">${row.stop_url}</a></dd>`}</dl>
<p><a class="button main" href="/letters/${row.letter_id}/html">As it looks in a mailbox</a></p>
<h2>As plain text</h2>
<pre style="white-space:pre-wrap;overflow-wrap:anywhere">${row.body}</pre>
<p><a href="/letters">All letters</a></p></div>`
  )

const closed = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store"
}

/** `/letters`: the list, a letter, its HTML as a mailbox shows it, and its calendar entry. */
export const letterRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<SqlClient.SqlClient>()
    const get = <E, R>(path: `/letters${string}`, answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      router.add("GET", path, Effect.provide(answer, services))
    yield* get("/letters", listed)
    yield* get("/letters/:id", orNone(shownLetter))
    yield* get(
      "/letters/:id/html",
      orNone((row) => HttpServerResponse.text(row.html, { contentType: "text/html; charset=utf-8", headers: closed }))
    )
    yield* get(
      "/letters/:id/entry",
      orNone(({ entry, entry_name }) =>
        entry === null
          ? noLetter
          : HttpServerResponse.text(entry, {
              contentType: "text/calendar; charset=utf-8",
              headers: { ...closed, "content-disposition": `attachment; filename="${entry_name ?? "visit.ics"}"` }
            })
      )
    )
  })
)
