import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CatalogueFile } from "../../../../src/domain/import/CatalogueFile.ts"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { PaymentGateway } from "../../../../src/domain/payment/provider/PaymentGateway.ts"
import { Faults } from "../../../../src/extras/sandbox/Faults.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import { commandsOverSandbox, member, parsed, playroom, takeRequests } from "../../../support/CommandLine.ts"
import { now } from "../../../support/PaymentWorld.ts"
import { otherVenue, venue } from "../../../support/paymentVenues.ts"
import { answerFaults, providerSchemaPresent } from "../../../support/providerSchema.ts"
import { callSandbox, checkout } from "../../../support/SandboxWorld.ts"

const { operator_id } = venue.operator

const begin = Effect.gen(function* () {
  yield* setClock(now)
  const sql = yield* SqlClient.SqlClient
  yield* sql`update operator set connected_account_id = null, suspended_at = null where operator_id = ${operator_id}`
  yield* sql`delete from operator_history`
  yield* sql`delete from sandbox.account`
  yield* sql`delete from sandbox.idempotency`
  yield* sql`update playroom set country = 'GB'`
  yield* sql`update playroom set operator_id = ${otherVenue.operator.operator_id}
    where playroom_id = ${otherVenue.playroom.playroom_id}`
  yield* (yield* Faults).reset
  yield* takeRequests
})

const onboard = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const ran = yield* playroom("operator", "onboard", operator_id, "--json", ...args)
  const said = ran.out === "" ? undefined : parsed(ran.out)
  return {
    failure: ran.failure,
    account: String(member(member(said, "account"), "id")),
    made: member(said, "made"),
    ready: member(said, "ready"),
    resumed: member(said, "resumed"),
    url: String(member(member(said, "link"), "url"))
  }
})

const operator = Operators.use((operators) => operators.get(operator_id))
const pathOf = (url: string) => new URL(url).pathname
const accounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select 1 from sandbox.account`).length
})

layer(commandsOverSandbox())("playroom operator onboard", (it) => {
  it.effect("makes an account that is off sale until it can take payments, and a link; says when all is done", () =>
    Effect.gen(function* () {
      yield* begin
      const first = yield* onboard()
      assert.isUndefined(first.failure)
      assert.deepStrictEqual([first.made, first.ready], [true, false])
      const { connected_account_id, suspended_at } = yield* operator
      assert.strictEqual(connected_account_id, first.account)
      assert.isDefined(suspended_at)
      const shown = yield* playroom("operator", "show", operator_id)
      assert.match(shown.out, /can take payments +no: onboarding is not finished; the provider asks for business_type/)
      const charge = checkout({ account: first.account, expires_at: Date.parse(now) / 1000 + 3600 })
      const refused = yield* Effect.flip(PaymentGateway.use((gateway) => gateway.createSession(charge)))
      assert.strictEqual(refused._tag, "AccountUnavailable")

      const again = yield* onboard()
      assert.deepStrictEqual([again.account, again.made, again.ready], [first.account, false, false])

      assert.strictEqual((yield* callSandbox("GET", pathOf(again.url))).status, 200)
      const back = yield* callSandbox("POST", pathOf(again.url), { form: {} })
      assert.strictEqual(back.headers.get("location"), "http://localhost:3000/?onboarding=done")
      const done = yield* onboard()
      assert.deepStrictEqual([done.ready, done.resumed, done.url], [true, true, "undefined"])
      assert.isUndefined((yield* operator).suspended_at)
      assert.include((yield* playroom("operator", "onboard", operator_id)).out, "nothing is left to do")
      assert.match((yield* playroom("operator", "show", operator_id)).out, /can take payments +yes/)
      assert.strictEqual((yield* PaymentGateway.use((gateway) => gateway.createSession(charge))).status, "open")
      const history = yield* Operators.use((operators) => operators.history(operator_id, 10))
      assert.deepStrictEqual(
        history.map(({ became, event, who }) => [event, who, became]),
        [
          ["connected", "onboarding", first.account],
          ["suspended", "onboarding", null],
          ["resumed", "onboarding", null]
        ]
      )
    })
  )

  it.effect("keeps the account on the operator, so that a catalogue that is exported and imported keeps it", () =>
    Effect.gen(function* () {
      yield* begin
      const { account } = yield* onboard()
      const file = yield* CatalogueFile.use(({ exportFile }) => exportFile)
      assert.include(JSON.stringify(file), account)
      yield* CatalogueFile.use((catalogue) => catalogue.importFile(file))
      assert.strictEqual((yield* operator).connected_account_id, account)
    })
  )

  it.effect("makes one account though its answer was lost, or two people ask at once", () =>
    Effect.gen(function* () {
      yield* begin
      const faults = yield* Faults
      yield* faults.set({ api: { fault: "cut_after", times: 3 } })
      assert.isDefined((yield* onboard()).failure)
      assert.isUndefined((yield* operator).connected_account_id)
      const [one, two] = yield* Effect.all([onboard(), onboard()], { concurrency: 2 })
      assert.strictEqual(one.account, two.account)
      assert.strictEqual(yield* accounts, 1)
      assert.strictEqual((yield* operator).connected_account_id, one.account)
    })
  )

  it.effect("leaves a person's suspension as it is", () =>
    Effect.gen(function* () {
      yield* begin
      yield* playroom("operator", "suspend", operator_id, "--reason", "not checked yet")
      const { url } = yield* onboard()
      yield* callSandbox("POST", pathOf(url), { form: {} })
      const done = yield* onboard()
      assert.deepStrictEqual([done.ready, done.resumed], [true, false])
      assert.isDefined((yield* operator).suspended_at)
      assert.include((yield* playroom("operator", "onboard", operator_id)).out, "playroom operator resume")
    })
  )

  it.effect("asks for the country where the playrooms do not tell, and makes nothing before", () =>
    Effect.gen(function* () {
      yield* begin
      const sql = yield* SqlClient.SqlClient
      const { playroom_id } = otherVenue.playroom
      yield* sql`update playroom set operator_id = ${operator_id}, country = 'DE' where playroom_id = ${playroom_id}`
      const two = yield* onboard()
      assert.include(two.failure, "has playrooms in DE, GB: say in which country the business is")
      assert.isUndefined((yield* operator).connected_account_id)
      yield* sql`update playroom set country = 'DE' where operator_id = ${operator_id}`
      assert.isUndefined((yield* onboard()).failure)
      const made = (yield* takeRequests).find(({ method, path }) => method === "POST" && path === "/v1/accounts")
      assert.strictEqual(new URLSearchParams(made?.body).get("country"), "DE")
      assert.include((yield* playroom("operator", "onboard", "operator_nobody")).failure, "There is no operator")
      assert.include((yield* playroom("operator", "onboard", operator_id, "--country", "gb")).complaints, "like GB")
    })
  )

  it.effect("makes a new link where the first one has ended", () =>
    Effect.gen(function* () {
      yield* begin
      const { url } = yield* onboard()
      yield* TestClock.adjust("10 minutes")
      const again = (yield* playroom("operator", "onboard", operator_id)).out
      assert.include(again, "which is not ready yet: onboarding is not finished; the provider asks for")
      yield* TestClock.adjust("10 minutes")
      const ended = yield* callSandbox("GET", pathOf(url))
      assert.strictEqual(ended.headers.get("location"), "http://localhost:3000/?onboarding=expired")
      assert.strictEqual((yield* callSandbox("GET", pathOf((yield* onboard()).url))).status, 200)
    })
  )

  if (!providerSchemaPresent) console.log("SKIPPED: no provider schema beside the repository")
  it.effect.skipIf(!providerSchemaPresent)(
    "and the look for invoices are answered in the shapes of the provider's schema, on the platform's own account",
    () =>
      Effect.gen(function* () {
        yield* begin
        yield* onboard()
        yield* callSandbox("POST", "/sandbox/invoice_paid", { form: { customer: "cus_2" } })
        const invoices = yield* PaymentGateway.use((gateway) => gateway.paidInvoices("cus_2"))
        assert.strictEqual(invoices.length, 1)
        assert.deepStrictEqual(
          yield* PaymentGateway.use((gateway) => gateway.getInvoice(invoices[0]?.id ?? "")),
          invoices[0]
        )
        const names = [
          [/^\/v1\/accounts/, "Accounts.Account"],
          [/^\/v1\/invoices/, "Invoices.Invoice"]
        ] as const
        const calls = yield* takeRequests
        let checked = 0
        for (const { answer, headers, path } of calls) {
          assert.isUndefined(headers["stripe-account"])
          const name = names.find(([pattern]) => pattern.test(path))?.[1]
          if (name === undefined) continue
          const said = JSON.parse(answer)
          for (const one of said.object === "list" ? said.data : [said]) {
            assert.deepStrictEqual(answerFaults(name, one), { faults: [] }, path)
            checked++
          }
        }
        assert.strictEqual(checked, 3)
        return undefined
      })
  )
})
