/** Messages of the desk, in Polish. */
import type { Desk } from "../en/Desk.ts"

export const desk: Desk = {
  desk: {
    title: "Recepcja",
    signInTitle: "Logowanie do recepcji",
    signInLead: "Kluczem dostępu z tego urządzenia lub z telefonu.",
    signIn: "Zaloguj się kluczem dostępu",
    needsScript: "Klucze dostępu wymagają JavaScriptu, a w tej przeglądarce jest on wyłączony.",
    noPasskey: "Nie użyto klucza dostępu. Spróbuj ponownie.",
    refused: "Ten klucz dostępu nie został przyjęty albo strona była otwarta zbyt długo. Spróbuj ponownie.",
    inviteAgain: "Jeśli nie masz tu już klucza dostępu, poproś o nowe zaproszenie.",
    invitationTitle: (operator) => `Recepcja: ${operator}`,
    invitationLead: (name) =>
      `Dzień dobry, ${name}! Utwórz klucz dostępu na tym urządzeniu: odtąd będzie służył do logowania. Ten link działa tylko raz.`,
    makePasskey: "Utwórz klucz dostępu",
    signedInAs: (name) => `Zalogowano: ${name}`,
    signOut: "Wyloguj się",
    search: "Nazwisko, numer rezerwacji lub telefon",
    find: "Szukaj",
    foundTitle: (words) => `Szukane: ${words}`,
    found: { one: "# rezerwacja", few: "# rezerwacje", many: "# rezerwacji", other: "# rezerwacji" },
    nothingFound: "Nie ma takiej rezerwacji.",
    moreFound: "Jest ich więcej. Dodaj słowo albo podaj numer rezerwacji.",
    toDay: "Wróć do dnia",
    now: (time) => `Teraz: ${time}`,
    byHour: "Dzieci w kolejnych godzinach",
    visits: "Wizyty",
    toCollect: "Do zapłaty tego dnia",
    room: "Sala",
    contact: "Kontakt",
    history: "Historia",
    events: {
      held: "Wstępnie zarezerwowano",
      confirmed: "Potwierdzono",
      paid: "Zapłacono",
      balance_paid: "Zapłacono resztę",
      payment_failed: "Płatność nie powiodła się",
      paid_late: "Zapłacono po terminie",
      changed: "Zmieniono grupę",
      moved: "Zmieniono termin",
      kept: "Wizyta się odbędzie",
      cancelled: "Anulowano",
      hold_expired: "Nie zapłacono na czas",
      balance_lapsed: "Nie zapłacono reszty na czas",
      refunded: "Zwrócono pieniądze",
      refund_failed: "Zwrot nie powiódł się",
      disputed: "Zakwestionowano płatność",
      person_erased: "Usunięto nazwisko"
    }
  }
}
