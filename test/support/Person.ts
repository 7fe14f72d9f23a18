/**
 * A person with a browser that keeps cookies as browsers do, as far as signing in needs it; and what hosts send to the
 * server.
 */
import { Effect, Schema } from "effect"
import { createHash, randomBytes } from "node:crypto"

interface Cookie {
  readonly name: string
  readonly value: string
  readonly path: string
}

const cookieOf = (line: string): Cookie => {
  const [pair = "", ...attributes] = line.split(";").map((part) => part.trim())
  const path = attributes.find((attribute) => attribute.toLowerCase().startsWith("path="))
  return {
    name: pair.slice(0, pair.indexOf("=")),
    value: pair.slice(pair.indexOf("=") + 1),
    path: path?.slice(5) ?? "/"
  }
}

const covers = (path: string, of: string): boolean =>
  of === path || of.startsWith(path.endsWith("/") ? path : `${path}/`)

export interface Seen {
  readonly status: number
  readonly url: string
  readonly headers: Headers
  readonly text: string
}

/**
 * A browser. It follows redirects within the service, and stops before it leaves it. `reaches` is the node that answers
 * for the service's address, as behind a balancer.
 */
export class Person {
  readonly #cookies: Array<Cookie> = []
  readonly #headers: Record<string, string>
  keepsCookies = true
  reaches: { readonly base: string; readonly node: string } | undefined

  constructor(headers: Record<string, string> = {}, reaches?: { readonly base: string; readonly node: string }) {
    this.#headers = headers
    this.reaches = reaches
  }

  /** The cookies that go along to a path. */
  cookieFor(pathname: string): string {
    return this.#cookies
      .filter(({ path }) => covers(path, pathname))
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ")
  }

  async #send(url: URL, init: RequestInit): Promise<Response> {
    const cookie = this.cookieFor(url.pathname)
    const { base, node } = this.reaches ?? { base: "", node: "" }
    const response = await fetch(url.href.replace(base, node), {
      ...init,
      redirect: "manual",
      headers: { ...this.#headers, ...(cookie === "" ? {} : { cookie }) }
    })
    if (!this.keepsCookies) return response
    for (const line of response.headers.getSetCookie()) {
      const set = cookieOf(line)
      const known = this.#cookies.findIndex(({ name, path }) => name === set.name && path === set.path)
      if (known !== -1) this.#cookies.splice(known, 1)
      if (!/expires=Thu, 01 Jan 1970/i.test(line)) this.#cookies.push(set)
    }
    return response
  }

  async #follow(url: URL, init: RequestInit): Promise<Seen> {
    let at = url
    let response = await this.#send(at, init)
    for (let hops = 0; response.status >= 300 && response.status < 400 && hops < 10; hops++) {
      const to = new URL(response.headers.get("location") ?? "", at)
      if (to.host !== at.host) return { status: response.status, url: to.href, headers: response.headers, text: "" }
      await response.arrayBuffer()
      at = to
      response = await this.#send(at, {})
    }
    return { status: response.status, url: at.href, headers: response.headers, text: await response.text() }
  }

  open(url: string): Effect.Effect<Seen> {
    return Effect.promise(() => this.#follow(new URL(url), {}))
  }

  /** Presses a button of a page, with the fields that it has. */
  press(page: Seen, decision: string, fields: Record<string, string> = {}): Effect.Effect<Seen> {
    const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? ""
    return Effect.promise(() =>
      this.#follow(new URL(page.url), {
        method: "POST",
        body: new URLSearchParams({ form_token, decision, ...fields })
      })
    )
  }
}

const Json = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

const answered = async (response: Response): Promise<Answered> => {
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === "" ? {} : Json(text) }
}

export const postForm = (url: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  Effect.promise(() => fetch(url, { method: "POST", body: new URLSearchParams(form), headers }).then(answered))

export const postJson = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  Effect.promise(() =>
    fetch(url, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers }
    }).then(answered)
  )

export const redirectUri = "https://host.example/callback"

/** A host's half of signing in. */
export interface Asking {
  readonly verifier: string
  readonly state: string
  readonly url: string
}

/** The address that a host leads a person to; `changes` to its parameters, undefined leaves one out. */
export const authorizeUrl = (
  base: string,
  client_id: string,
  changes: Readonly<Record<string, string | undefined>> = {}
): Asking => {
  const verifier = randomBytes(32).toString("base64url")
  const state = randomBytes(8).toString("base64url")
  const url = new URL(`${base}/connect/authorize`)
  const parameters: Readonly<Record<string, string | undefined>> = {
    response_type: "code",
    client_id,
    redirect_uri: redirectUri,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource: `${base}/mcp/connect`,
    scope: "bookings:read bookings:write payments:write",
    state,
    ...changes
  }
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value)
  return { verifier, state, url: url.href }
}

/** Registers a host; gives its client id. */
export const register = (base: string, changes: Record<string, unknown> = {}) =>
  Effect.map(
    postJson(`${base}/connect/register`, {
      client_name: "Example Host",
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
      ...changes
    }),
    ({ body }) => String(body.client_id)
  )

export const codeOf = ({ url }: Pick<Seen, "url">): string => new URL(url).searchParams.get("code") ?? ""

/** Trades a code for tokens. */
export const redeem = (
  base: string,
  client_id: string,
  code: string,
  { verifier }: Asking,
  changes: Record<string, string> = {}
) =>
  postForm(`${base}/connect/token`, {
    grant_type: "authorization_code",
    client_id,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...changes
  })

export const refresh = (base: string, client_id: string, refresh_token: string, changes: Record<string, string> = {}) =>
  postForm(`${base}/connect/token`, { grant_type: "refresh_token", client_id, refresh_token, ...changes })

/** The key of the tests' settings. */
export const ownKey = "test-key-with-all-scopes"

/**
 * A whole sign-in, with the settings' key by default: the tokens that the host has then. `guest` as key: without one.
 */
export const signIn = Effect.fnUntraced(function* (
  base: string,
  options: {
    readonly key?: string
    readonly client_id?: string
    readonly scope?: string
    readonly person?: Person
  } = {}
) {
  const client_id = options.client_id ?? (yield* register(base))
  const asking = authorizeUrl(base, client_id, options.scope === undefined ? {} : { scope: options.scope })
  const person = options.person ?? new Person()
  const page = yield* person.open(asking.url)
  const back =
    options.key === "guest"
      ? yield* person.press(page, "guest")
      : yield* person.press(page, "key", { key: options.key ?? ownKey })
  const { body } = yield* redeem(base, client_id, codeOf(back), asking)
  return {
    client_id,
    access_token: String(body.access_token),
    refresh_token: String(body.refresh_token),
    scope: String(body.scope)
  }
})

let calls = 0
/** Calls a tool at `/mcp/connect`. */
export const callTool = (base: string, token: string | undefined, name: string, input: unknown) =>
  postJson(
    `${base}/mcp/connect`,
    { jsonrpc: "2.0", id: ++calls, method: "tools/call", params: { name, arguments: input } },
    token === undefined ? {} : { authorization: `Bearer ${token}` }
  )
