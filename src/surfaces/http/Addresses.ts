/** What a server serves where: for the router, the `Allow` headers, and the labels of metrics. */
import { Effect, Layer } from "effect"
import { FindMyWay, HttpMethod, HttpRouter, type HttpServerRequest, type HttpServerResponse } from "effect/http"

/** Longer than any address that arrives, so that an overlong token gets the same answer as a wrong one. */
const maxParameterLength = 65_536

/** Each address has one spelling: another case, a second slash or an encoded letter is not found. */
export const exactPaths = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  maxParamLength: maxParameterLength
} as const

/** An address in OpenAPI notation: `/b/{token}`. */
const openApiPath = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}")

const refusals = new WeakSet<object>()

/** Routes for all methods but these, of an address that refuses them in its own words. */
export const refusing = (
  path: HttpRouter.PathInput,
  taken: ReadonlyArray<HttpMethod.HttpMethod>,
  answer: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>
): ReadonlyArray<HttpRouter.Route> =>
  [...HttpMethod.all]
    .filter((method) => !taken.includes(method))
    .map((method) => {
      const route = HttpRouter.route(method, path, answer)
      refusals.add(route)
      return route
    })

/** The addresses of one server. It learns them as its routes are added. */
export class Addresses {
  readonly #router = FindMyWay.make<string>(exactPaths)
  readonly #methods = new Map<string, Set<string>>()

  #learn(route: Pick<HttpRouter.Route, "method" | "path">): void {
    const { method, path } = route
    const address = openApiPath(path)
    const known = this.#methods.get(address)
    if (known === undefined && path !== "*") this.#router.on("GET", path, address)
    const methods = known ?? new Set()
    this.#methods.set(address, methods)
    // An address of all methods says itself which it takes.
    if (method === "*" || refusals.has(route)) return
    methods.add(method)
    if (method === "GET") methods.add("HEAD")
  }

  /** The router of this server, for its routes. */
  readonly layer = Layer.effect(
    HttpRouter.HttpRouter,
    Effect.map(HttpRouter.HttpRouter, (router) => {
      const addAll: HttpRouter.HttpRouter["addAll"] = (routes) => {
        for (const route of routes) this.#learn(route)
        return router.addAll(routes)
      }
      return HttpRouter.HttpRouter.of({
        ...router,
        addAll,
        add: (method, path, handler, options) => addAll([HttpRouter.route(method, path, handler, options)])
      })
    })
  )

  /** The address of a request in OpenAPI notation; undefined if there is none. */
  routeOf(url: string): string | undefined {
    const end = url.search(/[?#]/)
    const path = end === -1 ? url : url.slice(0, end)
    return this.#methods.has(path) ? path : this.#router.find("GET", url)?.handler
  }

  /** The methods of an address as `Allow` lists them. */
  allowOf(route: string): string {
    return [...(this.#methods.get(route) ?? [])].join(", ")
  }
}
