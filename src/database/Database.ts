/** The one place that decides between a PostgreSQL server and the embedded one. Everything else sees a `SqlClient`. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, type Redacted } from "effect"
import { AppConfig } from "../AppConfig.ts"
import { joinEmbedded, ownEmbedded } from "./EmbeddedPostgres.ts"

/** The driver on a PostgreSQL server. */
export const serverClient = (url: Redacted.Redacted, maxConnections = 16) =>
  PgClient.make({
    url,
    applicationName: "playroom",
    multiplex: true,
    minConnections: 1,
    maxConnections,
    // Statements that share a connection run one after the other, commits included: with the driver's 32, inserts that could
    // be written through together wait for each other's disk writes, and a quick read waits for a slow one.
    multiplexConcurrency: 4,
    connectTimeout: "5 seconds"
  })

/** The database of the settings. Of the embedded one this process must be the only user. */
export const databaseLayer = PgClient.layerFrom(
  Effect.gen(function* () {
    const { database } = yield* AppConfig
    return yield* database.kind === "server" ? serverClient(database.url) : ownEmbedded(database.dataDir)
  })
)

/** For commands: as above, but where a running service has the embedded database, its socket is used. */
export const commandDatabaseLayer = PgClient.layerFrom(
  Effect.gen(function* () {
    const { database } = yield* AppConfig
    if (database.kind === "server") return yield* serverClient(database.url)
    return yield* ownEmbedded(database.dataDir).pipe(
      Effect.catchTag("DataDirectoryInUse", (inUse) => joinEmbedded(inUse.socket))
    )
  })
)
