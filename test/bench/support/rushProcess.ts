/** Reads a `RushPlan` from standard input, and calls until it is killed. */
import { Effect, Schema } from "effect"
import { text } from "node:stream/consumers"
import { callTool } from "../../support/McpRequests.ts"
import { RushPlan } from "./Rush.ts"

const plan = Schema.decodeUnknownSync(Schema.fromJsonString(RushPlan))(await text(process.stdin))

const callers = plan.calls.map((call) =>
  Effect.forever(
    Effect.andThen(callTool(plan.url, call.tool, call.arguments, plan.headers), Effect.sleep(`${plan.pauseMs} millis`))
  )
)
Effect.runFork(Effect.all(callers, { concurrency: "unbounded" }))
