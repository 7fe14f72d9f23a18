import { assert, describe, it } from "@effect/vitest"
import { variables } from "../../src/config/AppConfigRules.ts"
import { nearNames, nearNameText } from "../../src/config/NearNames.ts"
import { fileVariables } from "../../src/config/SecretFiles.ts"

describe("names in the environment", () => {
  it.each([
    ["WORKER", "WORKERS"],
    ["DATABSE_URL", "DATABASE_URL"],
    ["PAYMENT_WEBHOOK_SECRET", "PAYMENT_WEBHOOK_SECRETS"],
    ["base_url ", "BASE_URL"],
    ["STRIPE_SECRET_KEY_FIEL", "STRIPE_SECRET_KEY_FILE"],
    ["HOLD_MINUTE", "HOLD_MINUTES"]
  ])("%s is named as nearly %s", (name, setting) => {
    assert.deepStrictEqual(nearNames(["PATH", name]), [{ name, setting }])
    assert.include(nearNameText({ name, setting }), `Did you mean ${setting}?`)
  })

  it("that are settings, or mean something else, are not", () => {
    assert.deepStrictEqual(nearNames([...variables, ...fileVariables]), [])
    const others = [
      "HOME",
      "PATH",
      "HOSTNAME",
      "SHELL",
      "MAIL",
      "PORTS",
      "PGHOST",
      "LANG",
      "TERM",
      "USER",
      "NODE_OPTIONS",
      "LOGNAME",
      "npm_config_cache"
    ]
    assert.deepStrictEqual(
      nearNames(others).map(({ name }) => name),
      ["PORTS"]
    )
    // Whoever has set the setting itself means the other name.
    assert.deepStrictEqual(nearNames(["PORT", "PORTS"]), [])
  })
})
