import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { keepLetter } from "../../../src/extras/sandbox/Letters.ts"
import { sandboxPayers } from "../../../src/extras/sandbox/Payers.ts"
import { Sandbox } from "../../../src/extras/sandbox/Sandbox.ts"
import { SandboxWorld } from "../../support/SandboxWorld.ts"

const letter = {
  letter_id: "letter_1",
  booking_id: "booking_1",
  to: "ana@example.com",
  subject: "Your booking is confirmed: <Jolly>",
  text: "Hello & welcome\n",
  html: "<!doctype html><p>Hello</p>",
  entry: { name: "K7M2-9QXD.ics", text: "BEGIN:VCALENDAR" },
  stop_url: "https://book.example.com/r/token"
}

const get = (path: string) =>
  Effect.flatMap(Sandbox, ({ url }) =>
    Effect.promise(async () => {
      const response = await fetch(url + path)
      return { status: response.status, text: await response.text(), headers: response.headers }
    })
  )

layer(SandboxWorld.layer)("the sandbox's letters", (it) => {
  it.effect("can be read as a family would, in both forms, and the newest only", () =>
    Effect.gen(function* () {
      assert.include((yield* get("/letters")).text, "None was written yet")
      for (let n = 0; n < 203; n++) yield* keepLetter({ ...letter, letter_id: `letter_${n}` })
      yield* keepLetter({ ...letter, letter_id: "letter_202", subject: "A second copy" })
      const list = (yield* get("/letters")).text
      assert.include(list, "Your booking is confirmed: &lt;Jolly&gt;")
      assert.notInclude(list, "A second copy")
      assert.lengthOf(list.match(/<li>/g) ?? [], 200)
      const page = (yield* get("/letters/letter_202")).text
      for (const part of [
        "ana@example.com",
        "Hello &amp; welcome",
        "K7M2-9QXD.ics",
        "https://book.example.com/r/token"
      ])
        assert.include(page, part)
      const shown = yield* get("/letters/letter_202/html")
      assert.strictEqual(shown.text, letter.html)
      assert.include(shown.headers.get("content-security-policy") ?? "", "default-src 'none'")
      assert.strictEqual((yield* get("/letters/letter_202/entry")).text, "BEGIN:VCALENDAR")
      assert.strictEqual((yield* get("/letters/letter_0")).status, 404)
      assert.include((yield* get("/")).text, "/letters")
    })
  )

  it.effect("are told and erased with the person", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from sandbox.letter`
      yield* keepLetter(letter)
      yield* keepLetter({ ...letter, letter_id: "letter_2", booking_id: "booking_2", to: "ben@example.com" })
      const of = { payment_session_ids: [], booking_ids: ["booking_1"] }
      assert.include(JSON.stringify(yield* sandboxPayers.rows(of)), "Hello & welcome")
      yield* sandboxPayers.forget(of)
      assert.notInclude(JSON.stringify(yield* sandboxPayers.rows(of)), "Hello & welcome")
      assert.lengthOf(yield* sql`select from sandbox.letter`, 1)
      yield* sandboxPayers.forget({ payment_session_ids: [], booking_ids: [], email: "Ben@example.com" })
      assert.lengthOf(yield* sql`select from sandbox.letter`, 0)
    })
  )
})
