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
    marks: { arrived: "Angekommen", no_show: "Nicht gekommen" },
    undo: (mark) => `„${mark}“ zurücknehmen`,
    notMarked:
      "Inzwischen steht ein anderer Vermerk da, oder das lässt sich jetzt nicht vermerken. Es wurde nichts geändert.",
    managersTitle: "Das kann nur die Leitung",
    managersOnly: "Bitte wenden Sie sich an die Leitung. Es wurde nichts geändert.",
    toBooking: "Zurück zur Buchung",
    goOn: "Weiter",
    changed: "Es wurde nichts getan: Seit Sie nachgesehen haben, hat sich etwas geändert. So steht es jetzt.",
    amountIn: (currency) => `Betrag in ${currency}`,
    amountWrong: (example) => `Bitte geben Sie einen Betrag wie ${example} an.`,
    amountSteps: (step) => `Der Zahlungsdienst kann diese Währung nur in Schritten von ${step} bewegen.`,
    reason: "Grund",
    reasonHint: "Er steht im Verlauf der Buchung, den auch die Familie lesen kann.",
    reasonNeeded: "Bitte geben Sie einen Grund an: Das steht nicht so in den Bedingungen.",
    pay: {
      title: "Zahlung eintragen",
      way: "Wie wurde bezahlt?",
      whichWay: "Bitte geben Sie an, wie bezahlt wurde.",
      confirm: "Zahlung eintragen",
      left: "Danach noch zu zahlen",
      confirms: "Damit ist die Buchung bestätigt.",
      pages: "Seiten, auf denen dasselbe online bezahlt werden könnte, werden geschlossen.",
      nothing: "Für diese Buchung ist jetzt nichts zu zahlen.",
      more: (owed) => `Es sind höchstens ${owed} offen.`,
      less: (due) => `Die Plätze sind nur vorgemerkt: Jetzt sind mindestens ${due} fällig.`,
      processing: "Eine Onlinezahlung wird gerade verarbeitet. Warten Sie, bis sie eingegangen oder gescheitert ist."
    },
    returned: {
      todo: (amount) => `${amount} sind vor Ort zurückzugeben`,
      how: "Wie wurde zurückgegeben?",
      ways: { cash: "bar", card: "auf die Karte", transfer: "per Überweisung" },
      done: "Es ist zurückgegeben"
    },
    back: {
      title: "Betrag erstatten",
      confirm: "Betrag erstatten",
      nothing: "Von den Zahlungen ist nichts mehr übrig.",
      tooMuch: (left) => `Von den Zahlungen sind höchstens ${left} übrig.`,
      byHand: (amount) => `${amount} davon wurden vor Ort bezahlt: Geben Sie sie dort zurück.`,
      before: (amount) => `${amount} wurden schon erstattet und sind berücksichtigt.`,
      disputed: (amount) => `Über ${amount} läuft ein Zahlungsstreit. Vorher wird nichts erstattet.`,
      notAsked:
        "Der Zahlungsdienst konnte nicht gefragt werden, was schon erstattet wurde. Er wird vor der Erstattung gefragt; sie kann dann kleiner sein.",
      stays: "Die Buchung selbst bleibt bestehen."
    },
    cancel: {
      title: "Buchung stornieren",
      confirm: "Jetzt stornieren",
      refund: "Was wird erstattet?",
      byTerms: "Was die Bedingungen vorsehen",
      full: "Alles, was von den Zahlungen übrig ist",
      none: "Nichts",
      part: "Dieser Betrag:",
      ended: "Diese Buchung ist schon beendet.",
      places: "Die Plätze sind sofort für andere frei. Das lässt sich nicht rückgängig machen."
    },
    change: {
      title: "Gruppe ändern",
      confirm: "Buchung ändern",
      same: "So ist es schon gebucht.",
      notConfirmed: "Die Buchung ist noch nicht bestätigt: Erst muss bezahlt werden, was fällig ist.",
      begun: "Der Besuch hat begonnen.",
      payment:
        "Eine Onlinezahlung ist offen oder unterwegs. Versuchen Sie es wieder, wenn sie da ist, oder in einer halben Stunde.",
      refund: "Eine Erstattung ist unterwegs. Versuchen Sie es wieder, wenn sie angekommen ist.",
      reasonNeeded: "Nach den Bedingungen geht das nicht mehr: Bitte geben Sie einen Grund an.",
      closed: "Zu dieser Zeit ist geschlossen.",
      notSold: "Das lässt sich so nicht buchen: Stornieren Sie die Buchung und buchen Sie neu.",
      taken: "Diese Zeit ist nicht zu haben.",
      nearest: (starts) => `Am nächsten frei: ${starts}.`
    },
    move: {
      title: "Buchung verlegen",
      confirm: "Verlegen",
      date: "Neuer Tag",
      time: "Neuer Beginn",
      when: "Bitte geben Sie Tag und Uhrzeit an."
    },
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
      arrived: "Angekommen",
      arrived_undone: "Vermerk „angekommen“ zurückgenommen",
      no_show: "Nicht gekommen",
      no_show_undone: "Vermerk „nicht gekommen“ zurückgenommen",
      paid_at_venue: "Vor Ort bezahlt",
      goodwill: "Betrag erstattet",
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
