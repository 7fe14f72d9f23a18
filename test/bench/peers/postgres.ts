/** The query through `postgres`, for the peers that are not made with Effect. */
import postgres from "postgres"
import { connections, databaseUrl, query, resultOf } from "./query.ts"

// The peers take turns: whoever waits gives its connections back, so that a server that allows 100 has enough for all.
const sql = postgres(databaseUrl, { max: connections, idle_timeout: 5, onnotice: () => {} })

export const getPlayroom = async (playroomId: string) => {
  const [row] = await sql.unsafe(query, [new Date(), playroomId], { prepare: true })
  return row === undefined ? undefined : resultOf(row)
}
