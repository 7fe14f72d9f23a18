/** The HTTP contract of `/desk`: signing in, the day, and bookings of the operator. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { maxClosedShown } from "../booking/BookingList.ts"
import { maxOwing } from "../booking/DueBookings.ts"
import { maxVisits } from "../booking/OperatorVisits.ts"
import { maxClosuresShown } from "../booking/VenueClosures.ts"
import { deskPaths } from "../staff/DeskSite.ts"
import { documentation, FirstQueryValues, languageHeader, LinkPages, page, query } from "./PageContract.ts"

const deskForm = HttpApiSchema.status(400)(page("The form came incomplete, is too long, or was sent by another site."))
const passkeyForm = Schema.Struct({
  passkey: Schema.String.annotate({ description: "What the browser's authenticator answered: the JSON of WebAuthn." })
}).pipe(HttpApiSchema.asFormUrlEncoded())
const invitationSecret = {
  secret: Schema.String.annotate({ description: "From `playroom staff invite`: it makes one passkey." })
}

const managersOnly = HttpApiSchema.status(403)(page("This is for a manager of the operator."))
const monthQuery = {
  month: query("YYYY-MM, by each playroom's own clock; this month by default."),
  provider: query("`yes`: by the payment provider's record, compared with the bookings.")
}

/** The group of the desk. */
export const desk = HttpApiGroup.make("desk")
  .annotateMerge(
    OpenApi.annotations({
      title: "For staff",
      description:
        "The desk of an operator, for people whom `playroom staff invite` let in. They sign in with a passkey; the cookie of their session opens nothing of another operator."
    })
  )
  .add(
    HttpApiEndpoint.get("desk", deskPaths.desk, {
      headers: languageHeader,
      query: {
        day: query("YYYY-MM-DD; today by default."),
        cursor: query("From the link to more visits of the day."),
        find: query("Words of a name, a reference or a telephone number.")
      },
      success: page("The day by time, or what was found; without a session, where to sign in.")
    }).annotateMerge(
      documentation("The day at the desk", `At most ${maxVisits} visits on one page. Reading changes nothing.`)
    ),
    HttpApiEndpoint.get("deskNewBooking", deskPaths.book, {
      headers: languageHeader,
      query: {
        package: query("What is booked; without it, what the operator's playrooms sell."),
        children: query("How many come; the package's least by default."),
        adults: query("How many come; 0 by default."),
        month: query("YYYY-MM: its days with free starts; this month by default."),
        date: query("YYYY-MM-DD: its free starts."),
        option: query("The chosen option: the form for whom it is.")
      },
      success: page("What can be booked, the free days and times, or the form.")
    }).annotateMerge(
      documentation("A new booking at the desk", "For a family on the telephone. Reading changes nothing.")
    ),
    HttpApiEndpoint.post("deskBook", deskPaths.book, {
      headers: languageHeader,
      payload: Schema.Struct({
        form: Schema.String.annotate({ description: "Names the session: from a page that it opened." }),
        do: Schema.String.annotate({ description: "`check`, `edit` or `book`." }),
        option: Schema.String.annotate({ description: "The option that was chosen." })
      }).pipe(HttpApiSchema.asFormUrlEncoded()),
      success: page("What would be booked, or what is wrong; a booking redirects (303) to its page."),
      error: [
        deskForm,
        HttpApiSchema.status(403)(page("The person's role does not allow it.")),
        HttpApiSchema.status(409)(page("Nothing was booked: why, and what can be changed."))
      ]
    }).annotateMerge(
      documentation(
        "Booking for a family",
        "By the rules of every booking, with who made it in the history. A form that is sent twice books once."
      )
    ),
    HttpApiEndpoint.get("deskBooking", `${deskPaths.booking}:booking`, {
      params: { booking: Schema.String.annotate({ description: "The booking's id." }) },
      headers: languageHeader,
      query: {
        step: query("What to do with it: the name of an action, as the page's links have it."),
        month: query("YYYY-MM, for a move: its days with free starts; the visit's by default."),
        date: query("YYYY-MM-DD, for a move: its free starts."),
        time: query("HH:MM, for a move: the chosen start of that day."),
        package: query("For a move: the package whose free starts are shown; the booking's own by default.")
      },
      success: page("The booking with its party, notes, money and history; or the form of an action.")
    }).annotateMerge(
      documentation("A booking at the desk", "Of the operator's own; 404 for any other. Reading changes nothing.")
    ),
    HttpApiEndpoint.post("deskAction", `${deskPaths.booking}:booking`, {
      params: { booking: Schema.String.annotate({ description: "The booking's id." }) },
      headers: languageHeader,
      payload: Schema.Struct({
        form: Schema.String.annotate({ description: "Names the session: from a page that it opened." }),
        step: Schema.String.annotate({ description: "What the form does." })
      }).pipe(HttpApiSchema.asFormUrlEncoded()),
      success: page("What the action would do, or why nothing came of it; otherwise it redirects (303)."),
      error: [
        deskForm,
        managersOnly,
        HttpApiSchema.status(409)(page("The booking is not as the form showed it; nothing was done."))
      ]
    }).annotateMerge(
      documentation(
        "What staff do with a booking",
        "The history names who did it. Each form is for one state of the booking."
      )
    ),
    HttpApiEndpoint.get("deskOwed", deskPaths.owed, {
      headers: languageHeader,
      query: { cursor: query("From the link to more bookings.") },
      success: page("Name, telephone, amount and due date of each booking that is not paid in full.")
    }).annotateMerge(
      documentation(
        "Who owes what",
        `Of the operator's own bookings, by when it is due; at most ${maxOwing} on one page. Reading changes nothing.`
      )
    ),
    HttpApiEndpoint.get("deskClosed", deskPaths.closed, {
      headers: languageHeader,
      query: { cursor: query("From the link to more bookings.") },
      success: page(
        "The bookings in closed time, with whom to call, and a form in which each is kept, moved to a free start near its own, or, by managers, cancelled."
      )
    }).annotateMerge(
      documentation("Bookings in closed time", `At most ${maxClosedShown} on one page. Reading changes nothing.`)
    ),
    HttpApiEndpoint.post("deskCloses", deskPaths.closed, {
      headers: languageHeader,
      payload: Schema.Struct({
        form: Schema.String.annotate({ description: "Names the session: from a page that it opened." })
      }).pipe(HttpApiSchema.asFormUrlEncoded()),
      success: page("What would happen with each and with its money, or what was done."),
      error: [deskForm, managersOnly, HttpApiSchema.status(409)(page("Nothing was chosen, or it has changed since."))]
    }).annotateMerge(
      documentation(
        "Moving and cancelling bookings in closed time",
        "Cancelling gives everything back, and is for managers. A page says first what happens. Sent again after a break, it goes on with the others."
      )
    ),
    HttpApiEndpoint.get("deskClosing", deskPaths.closing, {
      headers: languageHeader,
      query: {
        day: query("YYYY-MM-DD: the day that the form has first."),
        reopen: query("A closure of the venue: the page that reopens it."),
        cursor: query("From the link to more closed times.")
      },
      success: page(
        "A form to close a time or days, and what is closed from now on; or the form that reopens a closure."
      ),
      error: managersOnly
    }).annotateMerge(
      documentation(
        "Closing a time",
        `A part of a day, or whole days, which are for managers. At most ${maxClosuresShown} closures on one page. Reading changes nothing.`
      )
    ),
    HttpApiEndpoint.post("deskClose", deskPaths.closing, {
      headers: languageHeader,
      payload: Schema.Struct({
        form: Schema.String.annotate({ description: "Names the session: from a page that it opened." }),
        do: Schema.String.annotate({ description: "`check`, `edit`, `close` or `reopen`." })
      }).pipe(HttpApiSchema.asFormUrlEncoded()),
      success: page("What would be closed and who is booked then, or what is wrong; what is done redirects (303)."),
      error: [
        deskForm,
        managersOnly,
        HttpApiSchema.status(409)(page("What is booked then has changed since the page; nothing was closed."))
      ]
    }).annotateMerge(
      documentation(
        "Closing or reopening",
        "The operator's history names who did it. A form that is sent twice closes once; imports of the catalogue leave it."
      )
    ),
    HttpApiEndpoint.get("deskMonth", deskPaths.month, {
      headers: languageHeader,
      query: monthQuery,
      success: page("The sums of what came in, went back and was paid out, and a link to the file."),
      error: managersOnly
    }).annotateMerge(documentation("The month's figures", "For managers. Reading changes nothing.")),
    HttpApiEndpoint.get("deskMonthFile", deskPaths.monthFile, {
      headers: languageHeader,
      query: monthQuery,
      success: Schema.String.annotate({
        description: "A line for each amount, as `playroom accounts` prints it."
      }).pipe(HttpApiSchema.asText({ contentType: "text/csv" })),
      error: managersOnly
    }).annotateMerge(documentation("The month's figures for a spreadsheet", "For managers. Reading changes nothing.")),
    HttpApiEndpoint.get("deskPeople", deskPaths.people, {
      headers: languageHeader,
      query: {
        remove: query("A person: the page that removes one."),
        again: query("A person: the page that invites one again."),
        role: query("A person: the page that gives one another role.")
      },
      success: page("Who works at the desk, with a form that invites somebody; or one of those pages."),
      error: managersOnly
    }).annotateMerge(documentation("Who works here", "Reading changes nothing.")),
    HttpApiEndpoint.post("deskPeopleAct", deskPaths.people, {
      headers: languageHeader,
      payload: Schema.Struct({
        form: Schema.String.annotate({ description: "Names the session: from a page that it opened." }),
        do: Schema.String.annotate({ description: "`invite`, `again`, `role` or `remove`." })
      }).pipe(HttpApiSchema.asFormUrlEncoded()),
      success: page(
        "The address of an invitation, which is shown once; after another role or removing it redirects (303) to the list."
      ),
      error: [deskForm, managersOnly, HttpApiSchema.status(409)(page("Nothing was done: why."))]
    }).annotateMerge(
      documentation(
        "Inviting, giving roles and removing",
        "The operator's history names who did it. Another role holds at once, and who is removed is out at once; nobody does either to themselves, so that a manager is left."
      )
    ),
    HttpApiEndpoint.get("deskInvitation", `${deskPaths.invitation}:secret`, {
      params: invitationSecret,
      headers: languageHeader,
      success: page("Who is invited, and a button that makes a passkey.")
    }).annotateMerge(documentation("An invitation", "Reading it changes nothing: it can be used once after that.")),
    HttpApiEndpoint.post("acceptInvitation", `${deskPaths.invitation}:secret`, {
      params: invitationSecret,
      headers: languageHeader,
      payload: passkeyForm,
      success: page("Why the passkey was not accepted; otherwise it redirects (303) to the desk."),
      error: deskForm
    }).annotateMerge(
      documentation("Accepting an invitation", "Stores the passkey, ends the invitation, and signs in.")
    ),
    HttpApiEndpoint.post("deskSignIn", deskPaths.signIn, {
      headers: languageHeader,
      payload: passkeyForm,
      success: page("Why the passkey was not accepted; otherwise it redirects (303) to the desk."),
      error: deskForm
    }).annotateMerge(documentation("Signing in", "Each challenge is answered once, within minutes.")),
    HttpApiEndpoint.post("deskSignOut", deskPaths.signOut, {
      headers: languageHeader,
      success: page("Redirects (303) to where to sign in."),
      error: deskForm
    }).annotateMerge(documentation("Signing out", "Ends this session."))
  )
  .middleware(LinkPages)
  .middleware(FirstQueryValues)
