/** Somebody at the desk: what a browser would send, with its cookie and a passkey. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { PageAddress } from "./PageWorld.ts"
import { type Asked, softwareAuthenticator } from "./SoftwareAuthenticator.ts"

/** The service's public address in these tests; its port is another. */
export const deskBase = "https://book.example.com"

/** What a person reads. */
export const readable = (html: string): string =>
  html
    .replace(/<style>.*<\/style>/s, "")
    .replace(/<script>.*<\/script>/s, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&amp;", "&")
    .replaceAll("&#39;", "'")
    .replaceAll(/\s+/g, " ")

/** A request as a browser sends it, with what came. */
export const request = Effect.fnUntraced(function* (
  path: string,
  {
    body,
    cookie,
    form,
    headers = {},
    method
  }: {
    readonly cookie?: string | undefined
    readonly form?: Readonly<Record<string, string>>
    /** A form that has a field several times. */
    readonly body?: URLSearchParams
    readonly headers?: Readonly<Record<string, string>>
    readonly method?: string
  } = {}
) {
  const base = yield* PageAddress
  return yield* Effect.promise(async () => {
    const response = await fetch(base + path, {
      method: method ?? (form === undefined ? "GET" : "POST"),
      redirect: "manual",
      headers: {
        ...(form === undefined && body === undefined ? {} : { "sec-fetch-site": "same-origin" }),
        ...(cookie === undefined ? {} : { cookie: `__Host-desk=${cookie}` }),
        ...headers
      },
      ...(form === undefined ? (body === undefined ? {} : { body }) : { body: new URLSearchParams(form) })
    })
    const text = await response.text()
    const set = response.headers.getSetCookie().join("; ")
    return {
      status: response.status,
      headers: response.headers,
      text,
      set,
      /** The session that this answer began. */
      session: /^__Host-desk=([^;]+);/.exec(set)?.[1]
    }
  })
})

/** What a page asks a passkey. */
export const askedBy = (html: string): Asked => ({
  challenge: /data-challenge="([^"]+)"/.exec(html)?.[1] ?? assert.fail("the page asks for no passkey"),
  origin: deskBase,
  site: /data-site="([^"]+)"/.exec(html)?.[1] ?? ""
})

/** Makes a passkey with an invitation, and signs in. */
export const join = Effect.fnUntraced(function* (invitation: string) {
  const { pathname } = new URL(invitation)
  const authenticator = softwareAuthenticator()
  const page = yield* request(pathname)
  const { session, status, text } = yield* request(pathname, {
    form: { passkey: authenticator.made(askedBy(page.text)) }
  })
  assert.strictEqual(status, 303, readable(text))
  return { authenticator, session: session ?? assert.fail("no session began"), pathname }
})

/** Signs in with a passkey. */
export const signIn = Effect.fnUntraced(function* (authenticator: ReturnType<typeof softwareAuthenticator>) {
  const page = yield* request("/desk")
  return yield* request("/desk/sign-in", { form: { passkey: authenticator.used(askedBy(page.text)) } })
})
