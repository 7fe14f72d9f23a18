import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { fromEnv } from "../../../src/platform/config/AppConfig.ts"

const live = {
  STRIPE_SECRET_KEY: "sk_test_51H",
  PAYMENT_WEBHOOK_SECRETS: "whsec_1",
  PAYMENT_CONNECT_WEBHOOK_SECRETS: "whsec_2"
}
const read = (env: Record<string, string>) => fromEnv({ ...live, ...env })
const letters = (env: Record<string, string>) => Result.getOrThrow(read(env)).letters
const serverOf = (MAIL_URL: string) => {
  const found = letters({ MAIL_URL, MAIL_FROM: "bookings@example.com" })
  return found.kind === "smtp" ? Redacted.value(found.server) : assert.fail(found.kind)
}
const faults = (env: Record<string, string>) => {
  const result = read(env)
  return Result.isFailure(result) ? result.failure.faults : []
}

describe("the settings of letters", () => {
  it("send none, unless there is a mail server, but for the sandbox, which shows them", () => {
    assert.strictEqual(letters({}).kind, "off")
    assert.strictEqual(Result.getOrThrow(fromEnv({})).letters.kind, "sandbox")
    const both = fromEnv({ MAIL_URL: "smtp://localhost", MAIL_FROM: "bookings@example.com" })
    assert.strictEqual(Result.getOrThrow(both).letters.kind, "smtp")
  })

  it("encrypt what leaves the machine, unless somebody says that it need not be", () => {
    const user = { user: "u@example.com", password: "p%w" }
    assert.deepStrictEqual(serverOf("smtps://u%40example.com:p%25w@mail.example.com"), {
      host: "mail.example.com",
      port: 465,
      tls: "implicit",
      ...user
    })
    assert.deepInclude(serverOf("smtp://u%40example.com:p%25w@mail.example.com"), {
      port: 587,
      tls: "starttls",
      ...user
    })
    assert.deepInclude(serverOf("smtp://mail:2525?tls=none"), { host: "mail", port: 2525, tls: "none", user: "" })
    assert.deepInclude(serverOf("smtp://127.0.0.1:1025"), { tls: "none" })
    assert.deepInclude(serverOf("smtp://[::1]:1025/"), { host: "::1", tls: "none" })
  })

  it("name each fault, and never the password", () => {
    const from = { MAIL_FROM: "bookings@example.com" }
    for (const [url, fault] of [
      ["", "MAIL_URL is blank"],
      ["https://u:secret@mail.example.com", "MAIL_URL must be an smtp or smtps address"],
      ["smtp://u:secret@mail.example.com:99999", "MAIL_URL must be an smtp or smtps address"],
      ["smtp://u@mail.example.com", "MAIL_URL needs both a user and a password"],
      ["smtps://u:secret%zz@mail.example.com", "MAIL_URL holds a %"],
      ["smtp://u:secret@mail.example.com?tls=none", "MAIL_URL would send the password unencrypted"],
      ["smtps://mail.example.com?tls=none", "which can't have ?tls=none"],
      ["smtp://u:secret@mail.example.com/inbox", "MAIL_URL may have only ?tls=none"],
      ["smtp://u:secret@mail.example.com?requireTLS=false", "MAIL_URL may have only ?tls=none"]
    ] as const) {
      const found = faults({ MAIL_URL: url, ...from }).join("\n")
      assert.include(found, fault, url)
      assert.notInclude(found, "secret")
    }
    assert.include(faults({ MAIL_URL: "smtp://mail" }).join(), "MAIL_URL needs MAIL_FROM")
  })

  it("take a sender with a name, without, and in other scripts", () => {
    const from = (MAIL_FROM: string) => {
      const found = letters({ MAIL_URL: "smtp://localhost", MAIL_FROM })
      return found.kind === "off" ? assert.fail("off") : found.from
    }
    assert.deepStrictEqual(from("bookings@example.com"), { name: "", address: "bookings@example.com" })
    assert.deepStrictEqual(from("Playrooms <b@example.com>"), { name: "Playrooms", address: "b@example.com" })
    assert.deepStrictEqual(from('"Müller, Leeds" <b@bücher.example>'), {
      name: "Müller, Leeds",
      address: "b@xn--bcher-kva.example"
    })
    for (const wrong of [
      "bookings",
      "a@b@c",
      "<>",
      "A <b c@example.com>",
      "A\r\nBcc: x@example.com",
      "a@example.com, b@example.com"
    ])
      assert.include(faults({ MAIL_URL: "smtp://localhost", MAIL_FROM: wrong }).join(), "MAIL_FROM must be", wrong)
  })
})
