/** Messages of the desk, in German. */
import type { Desk } from "../en/Desk.ts"

export const desk: Desk = {
  desk: {
    title: "Empfang",
    signInTitle: "Am Empfang anmelden",
    signInLead: "Mit dem Passkey auf diesem Gerät oder auf Ihrem Handy.",
    signIn: "Mit Passkey anmelden",
    needsScript: "Passkeys brauchen JavaScript, und das ist in diesem Browser ausgeschaltet.",
    noPasskey: "Es wurde kein Passkey verwendet. Bitte versuchen Sie es noch einmal.",
    refused:
      "Dieser Passkey wurde nicht angenommen, oder die Seite war zu lange offen. Bitte versuchen Sie es noch einmal.",
    inviteAgain: "Wenn Sie hier keinen Passkey mehr haben, bitten Sie um eine neue Einladung.",
    invitationTitle: (operator) => `Empfang: ${operator}`,
    invitationLead: (name) =>
      `Guten Tag, ${name}. Erstellen Sie auf diesem Gerät einen Passkey: Damit melden Sie sich künftig an. Dieser Link gilt nur einmal.`,
    makePasskey: "Passkey erstellen",
    signedInAs: (name) => `Angemeldet: ${name}`,
    signOut: "Abmelden",
    search: "Name, Buchungsnummer oder Telefon",
    find: "Suchen",
    foundTitle: (words) => `Suche: ${words}`,
    found: { one: "# Buchung", other: "# Buchungen" },
    nothingFound: "Dazu passt keine Buchung.",
    moreFound: "Es gibt noch mehr. Geben Sie ein weiteres Wort oder die Buchungsnummer ein.",
    toDay: "Zurück zum Tag",
    now: (time) => `Jetzt: ${time}`,
    byHour: "Kinder pro Stunde",
    visits: "Besuche",
    toCollect: "An diesem Tag noch offen",
    room: "Raum",
    contact: "Kontakt",
    history: "Verlauf",
    events: {
      held: "Vorgemerkt",
      confirmed: "Bestätigt",
      paid: "Bezahlt",
      balance_paid: "Rest bezahlt",
      payment_failed: "Zahlung fehlgeschlagen",
      paid_late: "Verspätet bezahlt",
      changed: "Gruppe geändert",
      moved: "Umgebucht",
      kept: "Findet statt",
      cancelled: "Storniert",
      hold_expired: "Nicht rechtzeitig bezahlt",
      balance_lapsed: "Rest nicht rechtzeitig bezahlt",
      refunded: "Erstattet",
      refund_failed: "Erstattung fehlgeschlagen",
      disputed: "Zahlung angefochten",
      person_erased: "Name gelöscht"
    }
  }
}
