/** The pages of signing in, in a real browser: seen, judged by axe, and clicked through. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { createServer } from "node:http"
import { everyLanguage, inBrowser, judgedIn, openBrowser, views } from "../support/Browser.ts"
import { connectWorld, Node } from "../support/ConnectWorld.ts"
import { authorizeUrl, codeOf, ownKey, redeem, register } from "../support/Person.ts"
import { listenOnLoopback } from "../support/RecordingServer.ts"

/**
 * Presses a button by its value with the keyboard's means: focus and click; the key's field is filled where there is
 * one.
 */
const pressed = (value: string, key = "") => `(() => {
  const field = document.querySelector("input[name=key]")
  if (field !== null) field.value = ${JSON.stringify(key)}
  const button = document.querySelector('button[value="${value}"]')
  button.focus()
  const reached = document.activeElement === button
  setTimeout(() => button.click(), 0)
  return reached
})()`

const title = "are clean by axe, fit a phone, and can be read in both schemes and every language"

inBrowser("the pages of signing in, in a browser", title, (command) => {
  class Browser extends Context.Service<Browser, Effect.Success<ReturnType<typeof openBrowser>>>()(
    "test/SignInBrowser"
  ) {}

  /** The host's own address, where its people land: a page, and the answers that came. */
  const callback = Effect.gen(function* () {
    const answers: Array<string> = []
    const server = createServer((request, response) => {
      if (request.url?.startsWith("/callback") === true) answers.push(request.url)
      response.end("<!doctype html><title>back</title>")
    })
    const port = yield* listenOnLoopback(server)
    const redirect = `http://127.0.0.1:${port}/callback`
    const next = Effect.gen(function* () {
      for (let tries = 0; tries < 600; tries++) {
        const answer = answers.shift()
        if (answer !== undefined) return new URL(answer, redirect).href
        yield* Effect.sleep("50 millis")
      }
      return assert.fail("nobody came back")
    })
    return { redirect, next }
  })

  layer(Layer.provideMerge(Layer.effect(Browser, openBrowser(command)), connectWorld()), {
    excludeTestServices: true,
    timeout: "2 minutes"
  })("the pages of signing in, in a browser", (it) => {
    it.effect(
      title,
      () =>
        Effect.gen(function* () {
          const base = yield* Node
          const browser = yield* Browser
          const client_id = yield* register(base, { client_name: `<b>${"A rather long name ".repeat(10)}</b>` })
          const { url } = authorizeUrl(base, client_id)
          for (const [page, looks] of [
            [url, everyLanguage],
            [authorizeUrl(base, "nobody").url, views],
            [`${base}/connect/consent/nothing`, views]
          ] as const) {
            for (const view of looks)
              assert.deepStrictEqual(
                yield* browser.look(page, view, judgedIn(view)),
                [],
                `${page} ${JSON.stringify(view)}`
              )
          }
        }),
      120_000
    )

    for (const [button, key, error] of [
      ["guest", "", null],
      ["key", ownKey, null],
      ["refusal", "", "access_denied"]
    ] as const) {
      it.effect(`lead a person who presses ${button} back to the host`, () =>
        Effect.gen(function* () {
          const base = yield* Node
          const browser = yield* Browser
          const { next, redirect } = yield* callback
          const client_id = yield* register(base, { redirect_uris: [redirect] })
          const asking = authorizeUrl(base, client_id, { redirect_uri: redirect })
          const reached = yield* browser.look(asking.url, { width: 360, scheme: "light" }, pressed(button, key))
          assert.isTrue(reached)
          const back = yield* next
          assert.strictEqual(new URL(back).searchParams.get("error"), error)
          if (error !== null) return
          const { status } = yield* redeem(base, client_id, codeOf({ url: back }), asking, { redirect_uri: redirect })
          assert.strictEqual(status, 200)
        }).pipe(Effect.scoped)
      )
    }

    it.effect("are shown in no frame", () =>
      Effect.gen(function* () {
        const base = yield* Node
        const browser = yield* Browser
        const { url } = authorizeUrl(base, yield* register(base))
        const seen = yield* browser.look(
          "data:text/html,<!doctype html><title>frame</title>",
          { width: 360, scheme: "light" },
          `new Promise((done) => {
            const frame = document.createElement("iframe")
            frame.onload = () => { try { done(String(frame.contentDocument?.body?.innerText ?? "refused")) } catch { done("refused") } }
            setTimeout(() => done("refused"), 2000)
            frame.src = ${JSON.stringify(url)}
            document.body.append(frame)
          })`
        )
        assert.notInclude(String(seen), "Connect")
      })
    )
  })
})
