/**
 * A process that asks the due calendars once: `node lookAtCalendars.ts DATABASE_URL PORT`, on the host of
 * `DocumentHost.ts` at that port.
 */
import { Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { PublicDocuments } from "../../src/platform/access/PublicDocuments.ts"
import { CalendarFeeds } from "../../src/domain/calendars/CalendarFeeds.ts"
import { serverClient } from "../../src/platform/database/Database.ts"
import { askDueCalendars } from "../../src/domain/calendars/CalendarWorker.ts"

const [url = "", port = ""] = process.argv.slice(2)
const network = {
  resolve: () => Effect.succeed(["127.0.0.1"]),
  allowed: () => true,
  authorities: [readFileSync(join(import.meta.dirname, "tls/certificate.pem"), "utf8")],
  port: Number(port)
}

await Effect.runPromise(
  askDueCalendars.pipe(
    Effect.provide(
      CalendarFeeds.layer.pipe(
        Layer.merge(PublicDocuments.layerOn(network)),
        Layer.provideMerge(
          Layer.effect(SqlClient.SqlClient, serverClient(Redacted.make(url))).pipe(Layer.provide(Reactivity.layer))
        )
      )
    )
  )
)
