/** The contract's addresses for the router, the `Allow` headers and the metrics. */
import { FindMyWay } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { Api } from "./Api.ts"

/** Longer than any address that arrives, so that an overlong token gets the same answer as a wrong one. */
const maxParameterLength = 65_536

/** Each address has one spelling: another case, a second slash or an encoded letter is not found. */
export const exactPaths = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  maxParamLength: maxParameterLength
} as const

const endpoints = Object.values(Api.groups).flatMap((group): ReadonlyArray<HttpApiEndpoint.Top> =>
  Object.values(group.endpoints)
)

/** The methods of an address as `Allow` lists them. GET includes HEAD. Empty if the address is unknown. */
export const methodsOf = (path: string): string =>
  endpoints
    .filter((endpoint) => endpoint.path === path)
    .flatMap(({ method }) => (method === "GET" ? [method, "HEAD"] : [method]))
    .join(", ")

/** An address in OpenAPI notation: `/b/{token}`. */
const openApiPath = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}")

/** The methods of every address, by its OpenAPI notation. */
export const methods: ReadonlyMap<string, string> = new Map(
  endpoints.map(({ path }) => [openApiPath(path), methodsOf(path)])
)

const router = FindMyWay.make<string>(exactPaths)
for (const path of new Set(endpoints.map((endpoint) => endpoint.path)))
  router.on("GET", `/${path.slice(1)}`, openApiPath(path))

/** The address of a request in OpenAPI notation; undefined if there is none. */
export const routeOf = (url: string): string | undefined => {
  const end = url.search(/[?#]/)
  const path = end === -1 ? url : url.slice(0, end)
  return methods.has(path) ? path : router.find("GET", url)?.handler
}
