/**
 * Messages of the page on which a family changes its party, in German.
 */
import type { Party } from "../en/Party.ts"

export const party: Party = {
  party: {
    change: "Gruppe ändern",
    changeDetails: "Wünsche ändern",
    lead: (until) =>
      `Bis ${until} können Sie das alles selbst ändern. Bevor etwas geändert wird, sehen Sie, was es kostet oder was Sie zurückbekommen.`,
    detailsOnly:
      "Name, E-Mail-Adresse, Telefon, Alter und Wünsche können Sie bis zum Beginn Ihres Besuchs ändern. Das kostet nichts.",
    correct: "Name oder Adresse korrigieren",
    contactOnly: "Wenn Name, E-Mail-Adresse oder Telefonnummer nicht stimmen, können Sie das hier korrigieren.",
    headcountFinal: (when) =>
      `Seit ${when} stehen die Zahlen fest. Für eine andere Zahl fragen Sie bitte den Veranstalter.`,
    growsOnly:
      "Ihre Gruppe kann größer werden, aber nicht kleiner. Wenn weniger kommen, fragen Sie bitte den Veranstalter.",
    notSold:
      "Was Sie gebucht haben, wird so nicht mehr angeboten. Deshalb kann die Gruppe hier nicht geändert werden. Bitte fragen Sie den Veranstalter.",
    ages: "Alter der Kinder",
    agesHint: "Eines für jedes Kind, zum Beispiel 4, 5, 5. Oder lassen Sie es leer.",
    agesPriced:
      "Eines für jedes Kind, zum Beispiel 4, 5, 5. Der Preis richtet sich danach: Ohne Angabe gilt der höchste.",
    extras: "Extras",
    perChild: (price) => `${price} pro Kind`,
    each: (price) => `je ${price}`,
    name: "Name",
    emailHint:
      "Nach einer Korrektur gehen E-Mails und ein neuer Link an die neue Adresse. Bisherige Links gelten dann nicht mehr.",
    phone: "Telefon",
    check: "Prüfen, was sich ändert",
    title: "Diese Buchung ändern?",
    none: "keine Angabe",
    before: (value) => `Bisher: ${value}`,
    costsNothing: "Das kostet nichts.",
    confirm: "Buchung ändern",
    edit: "Noch einmal bearbeiten",
    changed: "Es wurde nichts geändert: Inzwischen hat sich etwas anderes geändert. Das ist der aktuelle Stand.",
    same: "Sie haben noch nichts geändert.",
    tooMany:
      "Es wurde nichts geändert: An diesem Tag gibt es schon so viele kostenlose oder unbezahlte Buchungen wie möglich. Bitte fragen Sie den Veranstalter.",
    errors: {
      lead: "Es wurde nichts geändert. Bitte prüfen Sie die markierten Felder.",
      number: "Bitte geben Sie eine ganze Zahl an.",
      children: (least, most) => `Ihr Paket ist für ${least} bis ${most} Kinder.`,
      adults: (most) => `Es können höchstens ${most} Erwachsene kommen.`,
      ages: (n) => `Bitte geben Sie ${n} Altersangaben an, eine für jedes Kind, oder keine.`,
      ageRange: (from, to) =>
        `Dieser Spielraum ist für Kinder von ${from} bis ${to} Jahren. Nur der Veranstalter kann eine Ausnahme machen.`,
      room: (left) => `Zu dieser Zeit ist höchstens für ${left} Kinder Platz.`,
      extra: (most) => `Davon sind zu dieser Zeit höchstens ${most} verfügbar.`,
      name: "Bitte geben Sie einen Namen an.",
      email: "Bitte geben Sie eine E-Mail-Adresse an, wie ana@example.com.",
      phone: "Bitte geben Sie eine Telefonnummer an, zum Beispiel +49 30 901820.",
      notes: "Bitte schreiben Sie höchstens 1.000 Zeichen.",
      closed: "Zu dieser Zeit ist geschlossen. Es wurde nichts geändert. Bitte fragen Sie den Veranstalter."
    }
  },
  venueAsks: {
    title: "Fragen des Veranstalters",
    lead: "Ihre Antworten gehen an den Veranstalter. Bis zum Beginn Ihres Besuchs können Sie sie ändern.",
    open: {
      one: "Der Veranstalter hat vor Ihrem Besuch # Frage an Sie.",
      other: "Der Veranstalter hat vor Ihrem Besuch # Fragen an Sie."
    },
    answer: "Antworten",
    change: "Antworten ändern",
    needed: "Diese Antwort braucht der Veranstalter.",
    choose: "Bitte wählen",
    save: "Antworten speichern",
    again:
      "Es wurde nichts gespeichert: Seit Sie nachgesehen haben, hat sich etwas geändert. Bitte sehen Sie Ihre Antworten noch einmal durch.",
    stored: (answer) => `Inzwischen gespeichert: ${answer}`,
    tooLong: "Bitte schreiben Sie höchstens 500 Zeichen.",
    notOffered: "Bitte wählen Sie eine der Antworten.",
    answers: "Antworten",
    unanswered: "Noch nicht beantwortet"
  }
}
