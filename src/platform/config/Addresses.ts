/** Addresses and host names in settings. Pure. */
import { isIP } from "node:net"
import { webAddress } from "../text/WebAddress.ts"

/** The address without a slash at the end; undefined unless `value` is `http(s)://host[:port]` and nothing more. */
export const bareOrigin = (value: string): string | undefined => {
  const url = webAddress(value)
  return url !== undefined && url.pathname === "/" && url.search === "" && url.hash === "" ? url.origin : undefined
}

export const isHttpUrl = (value: string): boolean => /^https?:$/.test(URL.parse(value)?.protocol ?? "")

export const isPostgresUrl = (value: string): boolean =>
  addressesOf(value).every((address) => /^postgres(ql)?:$/.test(URL.parse(address)?.protocol ?? ""))

/**
 * The address of each server of a PostgreSQL URL, which may name several as `host:port,host:port`
 * (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS).
 */
export const addressesOf = (url: string): ReadonlyArray<string> => {
  const [, before = "", hosts = "", after = ""] = /^([^/]*\/\/(?:[^/?#]*@)?)([^/?#]*,[^/?#]*)(.*)$/s.exec(url) ?? []
  return hosts === "" ? [url] : hosts.split(",").map((host) => `${before}${host}${after}`)
}

/** `localhost`, `example.com:8080`, `[::1]:3000`. */
export const isHostName = (value: string): boolean =>
  !/[/?#@\s*]/.test(value) && (URL.parse(`http://${value}/`)?.hostname ?? "") !== ""

/** An IP address or a network, `10.0.0.0/8`. */
export const isNetwork = (value: string): boolean => {
  const [address = "", bits, ...rest] = value.split("/")
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** The name as written in a URL and a `Host` header: IPv6 in brackets. */
export const hostInUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host)
