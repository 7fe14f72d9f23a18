/** How long a process may take to stop, in seconds. After that it exits, whatever still runs. */
import { finishSeconds, keepAliveSeconds } from "../api/Connections.ts"

/** Requests in flight finish first; the services below them need a little longer. */
const endSeconds = finishSeconds + 10

/** After a stop signal. */
export const stopSeconds = (drainSeconds: number): number => drainSeconds + endSeconds

/** For a worker that hands over to another one. */
export const handOverSeconds = keepAliveSeconds + finishSeconds + endSeconds
