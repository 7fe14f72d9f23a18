/**
 * The tools, in the order in which they are listed. What serves, lists, documents or refuses tools goes by this list; where tools are
 * named one by one, the compiler or a test asks for a new one.
 */
import type { Scope } from "../../access/ApiKey.ts"
import { createBooking } from "./createBooking.ts"
import { createPaymentSession } from "./createPaymentSession.ts"
import { getBooking } from "./getBooking.ts"
import { getBookingOptions } from "./getBookingOptions.ts"
import { getPlayroom } from "./getPlayroom.ts"
import { searchPlayrooms } from "./searchPlayrooms.ts"

export const tools = [
  searchPlayrooms,
  getPlayroom,
  getBookingOptions,
  createBooking,
  getBooking,
  createPaymentSession
] as const

export type ToolName = (typeof tools)[number]["name"]

const names: ReadonlySet<unknown> = new Set(tools.map(({ name }) => name))

/** Whether a name is one of the tools'. */
export const isToolName = (name: unknown): name is ToolName => names.has(name)

const scopes = new Map<unknown, Scope | undefined>(tools.map(({ name, scope }) => [name, scope]))

/** The scope that a caller of the tool needs; undefined where it is public, or there is no such tool. */
export const scopeOf = (name: unknown): Scope | undefined => scopes.get(name)
