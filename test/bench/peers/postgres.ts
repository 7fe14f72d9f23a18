/** The query through `postgres`, for the peers that are not made with Effect. */
import postgres from "postgres"
import { connections, databaseUrl, query, resultOf } from "./query.ts"

const sql = postgres(databaseUrl, { max: connections, onnotice: () => {} })

export const getPlayroom = async (playroomId: string) => {
  const [row] = await sql.unsafe(query, [new Date(), playroomId], { prepare: true })
  return row === undefined ? undefined : resultOf(row)
}
