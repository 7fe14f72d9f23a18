/** One sender's flood costs that sender. `Checklists.test.ts` checks that each named test is there. */
import { type Case, checked } from "../Case.ts"

const surface = "test/surfaces/http/Shares.test.ts"
const connections = "test/surfaces/http/ConnectionShares.test.ts"
const flood = "test/journeys/Flood.test.ts"
const admission = "test/surfaces/http/Admission.test.ts"
const turns = "test/surfaces/http/SenderQueues.test.ts"

export const shares: ReadonlyArray<Case> = [
  checked(
    "1. thousands of idle connections of one address shut nobody out",
    `${surface}: of one address that fill the service make place for newcomers of others, who are all served`,
    `${surface}: with half-sent requests, heads or bodies, make place as well`,
    `${connections}: is that of the oldest idle connection of whoever has the most, by /48 and by /64`,
    `${connections}: is not that of a connection in work; a sender that is all at work makes place for nobody else's cost`,
    `${connections}: is counted once, whatever ends when; beyond all places some hear of it, and who comes on top goes`,
    "test/surfaces/http/Connections.test.ts: are accepted before work goes on: a newcomer's is not behind a burst of others', one for each turn of a busy event loop",
    "test/platform/concurrency/LoopSlice.test.ts: that bring connections are left to them, and work goes on in the first that brings none",
    "test/platform/concurrency/LoopSlice.test.ts: are divided evenly between work and connections that never end"
  ),
  checked(
    "2. nor do thousands of addresses; a host's pool and a proxy's connections stay",
    `${connections}: is the oldest of all where 10,000 addresses have one each: a pool that is used stays`,
    `${connections}: is not one that was in use a moment ago, of a proxy, of its own sender, or where nobody has many`,
    `${connections}: is never a proxy's while others have many; a proxy's newcomer finds a place among all, at last its own`
  ),
  checked(
    "3. probes are always answered, and who finds no place is told so",
    `${surface}: that are all at work leave probes answered, and others hear when to come again`
  ),
  checked(
    "4. pipelined requests are one connection's matter, and end with it",
    `${surface}: are handled one after the other, and answered in order`,
    `${surface}: end their connection where more come at once than may wait`,
    `${surface}: of a client that has left are not begun, and what is at work for it ends`
  ),
  checked(
    "5. requests of one sender delay that sender, whatever it says of itself",
    `${surface}: of one sender beyond its share wait or are refused at once; others, and probes, are served meanwhile`,
    `${surface}: of one address within what may wait are all answered, however slow each is`,
    `${turns}: a sender has a share of work at once, then of places to wait; what is beyond is refused; others begin at once`,
    `${turns}: the /64s of one /48 take turns within a share of their own`,
    `${turns}: a request that takes long holds up nobody, one that waits long is told so, and nothing is kept of either`,
    `${turns}: a sender that was told to wait and goes on begins one request now and then, however many it has`
  ),
  checked(
    "6. the start page, the documentation and the OpenAPI document are counted apart from calls, ten for each, and hold up nobody",
    `${surface}: are refused to a sender beyond ten for each of its calls, with words and when to come again; others read on`,
    "test/surfaces/web/family/FamilyPage.test.ts: answers one network address so often a minute, and then with a page that says to wait",
    `${surface}: are read by a school behind one address, which has used up its calls and whose other requests wait`,
    `${surface}: hold up nobody else, however many of them one sender asks for`
  ),
  checked(
    "7. a process that may open few files keeps fewer connections and says so; it is stopped in a flood as at other times",
    `${flood}: that may open 256 files: it keeps fewer connections, says so, serves newcomers and probes, and ends well`,
    `${flood}: that is stopped meanwhile: newcomers are served until it closes, and it ends well`,
    "test/platform/files/OpenFiles.test.ts: connections, those in surplus and the embedded database leave files for everything else, from 256 on"
  ),
  checked(
    "8. with several processes each is restarted in turn, and connections that none has taken wait in the system's queue",
    "test/journeys/SharedSocket.test.ts: is shared by two processes: each is restarted in turn under load, and nobody is refused or cut",
    "test/journeys/SharedSocket.test.ts: keeps those who come while none listens until the next one does"
  ),
  checked(
    "9. probes on the management port are answered at once",
    "test/surfaces/http/Management.test.ts: says whether the process is alive, and whether it is ready, as it changes",
    "test/surfaces/http/Management.test.ts: answers probes while what they are about hangs, and while all metrics are being read"
  ),
  checked(
    "10. a request has one reading",
    `${surface}: names two hosts: 400 on every address`,
    `${surface}: is compressed: 415 on every address with a body; without a coding, or without a body, it is taken`,
    `${surface}: has two lengths, or a length and chunks, or no host: 400`,
    `${surface}: asks for another protocol: it is answered as HTTP, within all bounds`
  ),
  checked(
    "11. with more to do than can be done, what is let in is answered in time and the rest hears so at once: reads first, the provider's events last",
    `${admission}: finds the limit of any server by itself: 4 and 10 times as much is answered in time, or refused`,
    `${admission}: answers as much over a far database as over a near one: the way there is no queue, and comes on top of answers' times`,
    `${admission}: learns within seconds that its database is nearer or farther than it was, and nothing of that from a stall`,
    `${admission}: a stall is over once it is over: what was let in before it still counts`,
    `${admission}: lets a burst pass, whatever it takes, and a queue that stands no longer than it is over`,
    `${admission}: refuses nobody while what is under way waits for something else, however long`,
    `${admission}: a queue of a moment tells nothing of the rate: what waits for a lock keeps nobody else of its sender out`,
    `${admission}: a sender with less than its share is not kept out by another that has more, whatever that one waits for`,
    `${admission}: refuses reads first, then options, bookings and payments, and what the payment provider tells last`,
    `${admission}: counts nobody's reads against that sender's payments, nor against events while a burst is answered`,
    `${admission}: keeps places for some who come at once beside a flood, however slow the machine is`,
    `${admission}: refuses the flood of one sender, or of a few, and not what others ask beside it`,
    "test/surfaces/http/Overload.test.ts: a process that stood still while all its connections were used and as many came tells each what it may expect",
    "test/surfaces/http/Overload.test.ts: who comes on top hears so at once, with a code (people by a page) and when to come again; who was let in is answered",
    "test/surfaces/http/Overload.test.ts: each tool has a rank of its own choice"
  )
]
