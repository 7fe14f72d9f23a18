/** How a client is shown to the person who is to agree to it: its name and host are its own word, and may be meant to mislead. */
import { plainText } from "../../platform/text/Text.ts"
import { isLoopback } from "../../platform/text/WebAddress.ts"
import { appHost, ownDevice } from "./Grants.ts"

const longestName = 80

/** A client's name, safe to show: invisible characters and direction marks could make it misleading. */
export const shownName = (text: string): string | undefined => {
  const shown = plainText(text, 1000)
    .normalize("NFC")
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
    .replaceAll(/(\p{M}{3})\p{M}+/gu, "$1")
    .replaceAll(/\s+/gu, " ")
    .trim()
  if (shown === "") return undefined
  return shown.length <= longestName ? shown : `${shown.slice(0, longestName - 1).toWellFormed()}…`
}

/** A host, short enough to show. A long one keeps its end, which says whose it is. */
export const shownHost = (host: string): string =>
  host.length <= longestName ? host : `…${host.slice(host.length - longestName + 1)}`

/**
 * The host of an address, as people know it. A program on the person's device has none: its address is `localhost`, or
 * `app` with a scheme that may look like anybody's host.
 */
export const hostOf = (address: string): string => {
  const url = URL.parse(address)
  if (url === null) return ""
  if (url.protocol !== "https:" && url.protocol !== "http:") return appHost(url.protocol.slice(0, -1))
  return isLoopback(url.hostname) ? ownDevice : url.hostname
}
