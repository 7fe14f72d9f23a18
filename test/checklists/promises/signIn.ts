/**
 * Hosts sign in, refresh and come again as they really do, and nobody loses a booking by it; and the tests that hold
 * it.
 */
import { type Case, checked } from "../Case.ts"

const access = "test/surfaces/mcp/transport/ConnectAccess.test.ts"
const grace = "test/domain/oauth/RefreshGrace.test.ts"
const habits = "test/domain/oauth/HostHabits.test.ts"
const joined = "test/domain/oauth/JoinedBookings.test.ts"
const consent = "test/surfaces/web/connect/Consent.test.ts"
const hosts = "test/journeys/SignIn.test.ts"

export const signIn: ReadonlyArray<Case> = [
  checked(
    "B3. Public tools need no sign-in at /mcp/connect; a call that does is answered 401 with where to sign in",
    `${access}: answers everything but the tools that need a sign-in without a token, in both eras`,
    `${access}: asks for a sign-in where a tool needs it, in a batch too, and runs nothing of that batch`,
    `${access}: says of each tool whether it needs a sign-in; /mcp lists the same tools without that`,
    "test/journeys/Conformance.test.ts: the official conformance suites find the same at /mcp/connect without a token",
    `${access}: refuses a token that does not count whatever is called, public tools too, so that hosts refresh it`,
    `${hosts}: finds its way by itself, calls tools, refreshes, and asks anew when it is revoked`
  ),
  checked(
    "B3. CONNECT_SIGN_IN=first asks at the first request, for hosts that sign in only then",
    `${access}: /mcp/connect asks for a sign-in whatever is called, and its tools say so`,
    `${hosts}: signs in before its first answer`
  ),
  checked(
    "B1. A refresh token used again within a minute gives the same successor, in parallel and on every node; later it ends the grant",
    `${grace}: gives the same refresh token and a good access token again for a minute, on every node`,
    `${grace}: sent eight times at once to two nodes gives eight answers with one successor`,
    `${habits}: like mcp-remote refreshes in all its processes at once, for as many editors as a person has open`,
    `${grace}: ends the grant later than a minute after its use, on any node, and every token with it`,
    `${grace}: serves while nodes' clocks differ by half a minute, and not if a clock was set back by an hour`
  ),
  checked(
    "B1. The grace is its own client's, ends with the grant or the key, and leaves nothing usable in the database",
    `${grace}: is nothing to another client, which neither gets tokens by it nor ends the grant`,
    `${grace}: gives nothing once the grant or its key has ended, within the minute too`,
    `${grace}: in a thief's hands lasts until owner and thief use one token more than a minute apart`,
    `${grace}: leaves nothing behind by which a reader of the database could tell the next one`,
    `${grace}: was used by a node of the previous release: ends the grant, as there`
  ),
  checked(
    "B4. offline_access is kept, scopes may be repeated, and the resource is compared as an address",
    `${habits}: that asks for offline_access keeps it, and may repeat the scopes that it asked for when it refreshes`,
    `${habits}: may repeat the scopes that it asked for where the person's key allows less, and gets no more by it`,
    `${habits}: may spell the resource as it likes: case of scheme and host, default port, a slash at the end`,
    "test/domain/oauth/BadRequests.test.ts: a resource is one address, whatever the case of its host, its default port or a slash at its end",
    `${habits}: may name no resource at all: when it asks, when it trades the code, when it refreshes`,
    `${habits}: is refused another resource, which leaves its refresh token unused`
  ),
  checked(
    "B4. Any loopback port, an issuer in every answer, and registration again and again",
    `${habits}: on a person's device comes from another loopback port each time, and is told the issuer each time`,
    `${habits}: that registers again and again keeps every one of its sign-ins`,
    `${access}: leaves /mcp as it is: an access token is no API key there, and no OAuth is announced`
  ),
  checked(
    'A8. Who presses "allow" twice arrives at the host, or reads what to do',
    `${consent}: takes one answer: who presses twice arrives at the host twice, by one grant`,
    `${consent}: says to whoever presses again later, or reloads what comes after, that it was answered`,
    `${consent}: that a person refused sends them back as refused, however often they press`
  ),
  checked(
    "B2. The link of a booking's page, pasted where a guest signs in, opens that booking to the new sign-in, until it is renewed",
    `${joined}: with the link of a booking's page reaches that booking with all rights, on every node`,
    `${joined}: whose sign-in ended by a refresh token used too late reaches the booking by reference and e-mail`,
    `${joined}: that pastes nothing, or signs in with a key, reaches no booking of others by it`,
    `${joined}: with a link that opens nothing is told so, connects nothing, and may try again`,
    `${joined}: is not let in by a link with any of its characters changed`,
    `${joined}: loses a booking that came by a link once that link is renewed`,
    `${joined}: may try as many links on the consent page as elsewhere`,
    "test/domain/people/privacy/Telemetry.test.ts: no log, trace or metric tells who booked, or a key, a token or a code, on any path"
  )
]
