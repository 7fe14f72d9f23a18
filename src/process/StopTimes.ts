/** How long a process may take to end, in seconds. Then it ends itself, whatever still runs. */
import { finishSeconds, keptSeconds } from "../api/Connections.ts"

/** More than requests in flight get to finish, for the services below. */
const endSeconds = finishSeconds + 10

/** After a signal to stop. */
export const stopSeconds = (drainSeconds: number): number => drainSeconds + endSeconds

/** Of a worker that hands over to another one. */
export const handOverSeconds = keptSeconds + finishSeconds + endSeconds
