/** The addresses of the contract as the router, the `Allow` headers and the metrics see them. */
import { FindMyWay } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { Api } from "./Api.ts"

/** Longer than any address that arrives: a token that is too long is like any other that opens nothing. */
const longestParameter = 65_536

/** Each address has one spelling: with another case, a second slash or an encoded letter it is not found. */
export const exactPaths = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  maxParamLength: longestParameter
} as const

const endpoints = Object.values(Api.groups).flatMap((group): ReadonlyArray<HttpApiEndpoint.Top> =>
  Object.values(group.endpoints)
)

/** The methods of an address, as `Allow` lists them: HEAD is answered like GET. Empty if there is no such address. */
export const methodsOf = (path: string): string =>
  endpoints
    .filter((endpoint) => endpoint.path === path)
    .flatMap(({ method }) => (method === "GET" ? [method, "HEAD"] : [method]))
    .join(", ")

/** An address as the OpenAPI document writes it: `/b/{token}`. */
const written = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}")

/** Every address, as it is written, with its methods. */
export const methods: ReadonlyMap<string, string> = new Map(
  endpoints.map(({ path }) => [written(path), methodsOf(path)])
)

const router = FindMyWay.make<string>(exactPaths)
for (const path of new Set(endpoints.map((endpoint) => endpoint.path)))
  router.on("GET", `/${path.slice(1)}`, written(path))

/** The address that a request is for, as it is written; undefined where there is none. */
export const routeOf = (url: string): string | undefined => {
  const end = url.search(/[?#]/)
  const path = end === -1 ? url : url.slice(0, end)
  return methods.has(path) ? path : router.find("GET", url)?.handler
}
