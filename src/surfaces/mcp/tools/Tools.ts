/**
 * The tools, in published order. Everything that serves, lists, documents or refuses tools uses this list. If tools are
 * named one by one elsewhere, the compiler or a test reports a missing one.
 */
import type { Scope } from "../../../platform/access/ApiKeys.ts"
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

/** Whether there is a tool of this name. */
export const isToolName = (name: unknown): name is ToolName => names.has(name)

const scopes = new Map<unknown, Scope | undefined>(tools.map(({ name, scope }) => [name, scope]))

/** The scope that a tool needs; undefined if it is public or unknown. */
export const scopeOf = (name: unknown): Scope | undefined => scopes.get(name)
