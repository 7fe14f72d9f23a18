/**
 * Which requests are refused first when there is too much to do, by the address and the tool that is called: hosts name it in the
 * header `Mcp-Name` (MCP 2026-07-28).
 */
import type { IncomingMessage } from "node:http"
import { findBookingPath, linkPaths } from "../../platform/access/LinkTokens.ts"
import { issuerPath, toolsPath } from "../../domain/oauth/Paths.ts"
import { deskPaths } from "../../domain/people/staff/DeskSite.ts"
import { receiverPaths } from "../../domain/payment/provider/Receivers.ts"
import { type Rank, ranks } from "./Admission.ts"
import { mcp } from "./McpApi.ts"

/** The rank of each tool. Calls whose host does not name it rank in the middle. */
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

/** The rank of a request. */
export const rankOf = ({ headers, method, url = "" }: Pick<IncomingMessage, "headers" | "method" | "url">): Rank => {
  if (method === "POST" && toolPaths.has(url.split("?", 1)[0] ?? "")) {
    const name = headers["mcp-name"]
    return (typeof name === "string" ? toolRanks.get(name) : undefined) ?? ranks.option
  }
  return pathRanks.find(([beginning]) => url.startsWith(beginning))?.[1] ?? ranks.read
}
