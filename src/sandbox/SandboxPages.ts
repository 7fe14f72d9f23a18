/** What people see of the sandbox (`/`, `/pay/…`), and the switches for tests (`/sandbox/…`). */
import { Clock, Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { escape } from "../kernel/Html.ts"
import { dayMs } from "../kernel/LocalTime.ts"
import { page, paymentPage, returnAddress } from "./PaymentPage.ts"
import { SandboxedService } from "./SandboxedService.ts"
import { SandboxEvents } from "./SandboxEvents.ts"
import { Faults, SandboxFaults } from "./SandboxFaults.ts"
import { readForm } from "./SandboxForm.ts"
import type { SessionRow } from "./SandboxObjects.ts"
import { Outcome, SandboxPayments } from "./SandboxPayments.ts"
import { SandboxPlatform } from "./SandboxPlatform.ts"
import { refusalBody } from "./SandboxRefusal.ts"
import { amountText } from "./SandboxRules.ts"

export const html = (text: string, status = 200) =>
  HttpServerResponse.text(text, {
    status,
    contentType: "text/html; charset=utf-8",
    headers: {
      "content-security-policy":
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store"
    }
  })
export const message = (title: string, text: string, status: number) =>
  html(page(title, `<div class="card"><h1>${escape(title)}</h1><p>${escape(text)}</p></div>`), status)

const notFound = message(
  "No such payment page",
  "The link may be cut short. Copy the whole address and try again.",
  404
)
const failed = message("Something went wrong", "The sandbox could not reach its database. Please try again.", 500)

const decodeOutcome = Schema.decodeUnknownOption(Outcome)

/** Sends the payer on: to the success address where the session is complete, else to the cancel address or back to the page. */
const redirectPayer = (row: SessionRow): HttpServerResponse.HttpServerResponse => {
  const target = row.status === "complete" ? row.success_url : row.cancel_url
  return HttpServerResponse.redirect(
    target === null ? `/pay/${row.session_id}` : returnAddress(target, row.session_id),
    {
      status: 303
    }
  )
}

const Count = Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))
const FaultForm = Schema.Struct({
  api: Schema.optionalKey(Schema.String),
  api_times: Schema.optionalKey(Count),
  duplicate: Schema.optionalKey(Count),
  reorder: Schema.optionalKey(Count),
  delay: Schema.optionalKey(Count),
  delay_seconds: Schema.optionalKey(Count),
  drop: Schema.optionalKey(Count),
  corrupt: Schema.optionalKey(Count)
})
const decodeFaults = Schema.decodeUnknownOption(FaultForm, { onExcessProperty: "error" })
const decodeApiFault = Schema.decodeUnknownOption(Faults.fields.api)

export const pageRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const payments = yield* SandboxPayments
    const { accountName } = yield* SandboxedService
    const events = yield* SandboxEvents
    const faults = yield* SandboxFaults
    const platform = yield* SandboxPlatform

    yield* router.add(
      "GET",
      "/pay/:id",
      Effect.gen(function* () {
        const { id = "" } = yield* HttpRouter.params
        const row = yield* payments.sessionOfPage(id)
        return html(paymentPage(row, yield* accountName(row.account), yield* Clock.currentTimeMillis))
      }).pipe(
        Effect.catchTag("SandboxRefusal", () => Effect.succeed(notFound)),
        Effect.catchTag("SqlError", () => Effect.succeed(failed))
      )
    )

    yield* router.add("POST", "/pay/:id", (request) =>
      Effect.gen(function* () {
        const { id = "" } = yield* HttpRouter.params
        const form = new URLSearchParams(yield* request.text)
        const outcome = decodeOutcome(form.get("outcome"))
        if (Option.isNone(outcome)) {
          return message("Choose how it ends", `outcome must be one of ${Outcome.literals.join(", ")}.`, 400)
        }
        return redirectPayer(yield* payments.choose(id, outcome.value))
      }).pipe(
        Effect.catchTag("SandboxRefusal", () => Effect.succeed(notFound)),
        Effect.catchTag("SqlError", () => Effect.succeed(failed))
      )
    )

    yield* router.add(
      "GET",
      "/",
      Effect.gen(function* () {
        const rows = yield* payments.recent
        const list = rows
          .map(
            (row) =>
              `<li><a href="/pay/${row.session_id}">${escape(row.product_name)}</a>, ${escape(amountText(row.amount, row.currency))}: ${row.status}, ${row.payment_status}</li>`
          )
          .join("\n")
        return html(
          page(
            "Payment sandbox",
            `<div class="card"><h1>The payment sandbox</h1>
<p>It stands in for the payment provider while you develop: the same API, hosted payment pages, and signed events.</p>
${rows.length === 0 ? "<p>No payments were asked for yet.</p>" : `<h2>Latest payments</h2><ul>${list}</ul>`}</div>`
          )
        )
      }).pipe(Effect.catchTag("SqlError", () => Effect.succeed(failed)))
    )

    // `customer`, and `days` (30): how far ahead the paid period ends. `one_off=true`: an invoice of no subscription.
    yield* router.add("POST", "/sandbox/invoice_paid", (request) =>
      Effect.gen(function* () {
        const form = yield* readForm(yield* request.text, {
          customer: { kind: "text", required: true, maxLength: 255 },
          days: { kind: "integer" },
          one_off: { kind: "boolean" }
        })
        const invoice = yield* platform.payInvoice({
          customer: form.required("customer"),
          oneOff: form.boolean("one_off"),
          periodMs: (form.integer("days") ?? 30) * dayMs
        })
        yield* events.emit({ receiver: "platform", type: "invoice.paid", object: invoice })
        return HttpServerResponse.jsonUnsafe(invoice)
      }).pipe(
        Effect.catchTag("SandboxRefusal", (refusal) =>
          Effect.succeed(HttpServerResponse.jsonUnsafe(refusalBody(refusal), { status: 400 }))
        ),
        Effect.catchTag("SqlError", () => Effect.succeed(failed))
      )
    )

    // `api` and `api_times` (1), and the counts of SandboxFaults. Without fields: all back to none.
    yield* router.add("POST", "/sandbox/faults", (request) =>
      Effect.gen(function* () {
        const fields = Object.fromEntries(new URLSearchParams(yield* request.text))
        if (Object.keys(fields).length === 0) {
          yield* faults.reset
          return HttpServerResponse.empty({ status: 204 })
        }
        const decoded = decodeFaults(fields)
        if (Option.isNone(decoded))
          return HttpServerResponse.text("Unknown fault, or a count that is no number.\n", { status: 400 })
        const { api, api_times, ...counts } = decoded.value
        const onApi = api === undefined ? Option.some(null) : decodeApiFault({ fault: api, times: api_times ?? 1 })
        if (Option.isNone(onApi)) return HttpServerResponse.text("Unknown API fault.\n", { status: 400 })
        yield* faults.set({ ...counts, ...(api === undefined ? {} : { api: onApi.value }) })
        return HttpServerResponse.empty({ status: 204 })
      })
    )

    yield* router.add("*", "*", (request) =>
      Effect.succeed(message("Nothing here", `The sandbox has no page at ${request.url}.`, 404))
    )
  })
)
