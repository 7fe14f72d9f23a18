/** Which requests are refused first when there is too much to do, by the address and the tool that is called. */
import type { IncomingMessage } from "node:http"
import { findBookingPath, linkPaths } from "../access/LinkTokens.ts"
import { issuerPath, toolsPath } from "../oauth/Paths.ts"
import { deskPaths } from "../staff/DeskSite.ts"
import { receiverPaths } from "../payment/provider/Receivers.ts"
import { type Rank, ranks } from "./Admission.ts"
import { mcp } from "./McpApi.ts"

/** The rank of each tool. Messages that call none rank as reads. */
export const toolRanks: ReadonlyMap<string, Rank> = new Map<string, Rank>([
  ["search_playrooms", ranks.read],
  ["get_playroom", ranks.read],
  ["get_booking_options", ranks.option],
  ["create_booking", ranks.booking],
  ["get_booking", ranks.booking],
  ["create_payment_session", ranks.payment]
])

/** By the beginning of the address. What is not named here ranks as a read. */
const pathRanks: ReadonlyArray<readonly [string, Rank]> = [
  [receiverPaths.platform, ranks.event],
  [receiverPaths.connected, ranks.event],
  ["/checkout/", ranks.payment],
  [linkPaths.pay, ranks.payment],
  // Also what lies below it: the booking's own page.
  [findBookingPath, ranks.booking],
  [linkPaths.invitation, ranks.booking],
  [linkPaths.reminders, ranks.booking],
  [linkPaths.operator, ranks.booking],
  [deskPaths.desk, ranks.booking],
  [`${issuerPath}/`, ranks.booking]
]

/** The addresses at which tools are called. */
const toolPaths: ReadonlySet<string> = new Set([mcp.path, toolsPath])

/** Bytes of a body in which the tool's name is looked for. */
const lookedAt = 2048

const called = new RegExp(`"name"\\s*:\\s*"(${[...toolRanks.keys()].join("|")})"`)

/** Whether the rank depends on the body of a request. */
export const ranksByBody = ({ method, url = "" }: IncomingMessage): boolean =>
  method === "POST" && toolPaths.has(url.split("?", 1)[0] ?? "")

/** The beginning of what has come of the body; whoever reads it gets all. */
const beginningOf = (request: IncomingMessage): string => {
  const bytes: unknown = request.readableLength === 0 ? null : request.read(Math.min(request.readableLength, lookedAt))
  if (!Buffer.isBuffer(bytes)) return ""
  request.unshift(bytes)
  return bytes.toString("latin1")
}

/** The rank of a request, by as much of its body as has come. */
export const rankOf = (request: IncomingMessage): Rank => {
  const { url = "" } = request
  if (ranksByBody(request)) return toolRanks.get(called.exec(beginningOf(request))?.[1] ?? "") ?? ranks.read
  return pathRanks.find(([beginning]) => url.startsWith(beginning))?.[1] ?? ranks.read
}
