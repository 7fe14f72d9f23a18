/** Messages of letters to families, and of the pages that belong to them, in Polish. */
import type { Letters } from "../en/Letters.ts"

export const letters: Letters = {
  letters: {
    changed: {
      heading: "Twoja rezerwacja została zmieniona",
      lead: "Oto jej aktualny stan."
    },
    before: "Wcześniej",
    now: "Teraz",
    balanceDue: {
      heading: "Zbliża się termin płatności",
      lead: ({ amount, online, until }) =>
        online
          ? `Pozostało do zapłaty ${amount}. Termin: ${until}. Możesz zapłacić na stronie swojej rezerwacji.`
          : `Pozostało do zapłaty ${amount}. Termin: ${until}. Zapłać na miejscu.`
    },
    visit: { heading: "Zbliża się Twoja wizyta", lead: (when: string) => `Do zobaczenia: ${when}.` },
    refundFailed: {
      heading: "Zwrot nie dotarł",
      lead: (amount: string) =>
        `Nie udało się zwrócić kwoty ${amount}: bank lub karta nie przyjęły przelewu. Te pieniądze nadal Ci się należą. Zapytaj w sali zabaw, jak je otrzymasz.`
    },
    sentBack: "Płatność wraca do Ciebie",
    link: {
      heading: "Link do Twojej rezerwacji",
      lead: "Ktoś, najpewniej Ty, poprosił o link do strony tej rezerwacji.",
      unasked: "Jeśli to nie Ty, nie musisz nic robić: link został wysłany tylko na ten adres."
    },
    booked: { heading: "Twoja rezerwacja", lead: "Sala zabaw zarezerwowała to dla Ciebie." },
    readdressed: {
      heading: "Adres e-mail rezerwacji został poprawiony",
      lead: "Wiadomości o tej rezerwacji będą teraz przychodzić na inny adres. Linki z wcześniejszych wiadomości już nie działają.",
      unasked: "To Twoja rezerwacja, a ta zmiana nie była Twoja? Zgłoś to w sali zabaw."
    },
    fromVenue: { heading: "Wiadomość z sali zabaw", lead: "Sala zabaw pisze w sprawie Twojej rezerwacji:" },
    placesBack: {
      heading: "Zwolniły się miejsca",
      lead: "Jesteś na liście oczekujących: te miejsca są teraz zarezerwowane dla Ciebie."
    },
    placesLapse:
      "Już ich nie chcesz? Nie musisz nic robić: przejdą do następnej rodziny, a Ty nie będziesz już na liście.",
    openPage: "Otwórz stronę rezerwacji",
    entry: "Załączone wydarzenie do kalendarza zawiera miejsce i czas.",
    newEntry: "Załączone wydarzenie do kalendarza zastępuje dotychczasowe.",
    entryRemoved:
      "Załączone wydarzenie do kalendarza usuwa dotychczasowe. Jeśli nadal jest w kalendarzu, proszę je tam usunąć.",
    why: (reference: string) => `Otrzymujesz tę wiadomość, ponieważ ten adres podano przy rezerwacji ${reference}.`,
    secret: "Kto zna link z tej wiadomości, może zobaczyć i zmienić rezerwację. Nie udostępniaj go.",
    stop: "Nie wysyłaj przypomnień"
  },
  waiting: {
    title: "Lista oczekujących",
    lead: "Te miejsca są zajęte. Czy chcesz je, jeśli się zwolnią?",
    how: (time) =>
      `Miejsca, które się zwolnią, są rezerwowane dla jednej rodziny po drugiej, dla każdej przez ${time}. Informuje o tym wiadomość z linkiem do płatności. Kto nie zapłaci na czas, nie jest już na liście.`,
    join: "Zapisz mnie na listę",
    full: "Na tej liście nie ma teraz dla Ciebie miejsca: jest pełna albo ten adres e-mail czeka już na pięć wizyt.",
    freeTitle: "Są miejsca",
    free: "Nie musisz czekać: te miejsca można teraz zarezerwować.",
    noneTitle: "Nie ma listy oczekujących",
    none: "Na tę wizytę nie można czekać: zostało za mało czasu, nie jest już tak sprzedawana albo sala zabaw nie ma listy oczekujących.",
    onTitle: "Jesteś na liście oczekujących",
    on: (email) => `Jeśli miejsca się zwolnią, na adres ${email} przyjdzie wiadomość.`,
    leave: "Wypisz mnie z listy",
    offTitle: "Nie jesteś na liście oczekujących",
    off: "Nastąpiło wypisanie z listy albo zarezerwowano dla Ciebie miejsca: wtedy link do nich jest w wiadomości."
  },
  reminders: {
    title: "Wyłączyć przypomnienia?",
    lead: "Na ten adres nie przyjdą już przypomnienia o płatnościach i wizytach. Wiadomości o zmianach i zwrotach nadal będą przychodzić.",
    stop: "Wyłącz przypomnienia",
    stoppedTitle: "Przypomnienia są wyłączone",
    stoppedLead: "Na ten adres nie wysyłamy już przypomnień.",
    resume: "Włącz przypomnienia ponownie"
  },
  findBooking: {
    title: "Znajdź swoją rezerwację",
    lead: "Podaj numer i adres e-mail rezerwacji. Link zostanie wysłany na ten adres.",
    email: "Adres e-mail",
    send: "Wyślij link",
    wrong: "Podaj numer rezerwacji, np. K7M2-9QXD, i adres e-mail.",
    tooOften: "Ten numer rezerwacji wpisano z Twojej sieci zbyt wiele razy. Spróbuj ponownie za godzinę.",
    sentTitle: "Sprawdź skrzynkę",
    sentLead:
      "Jeśli jest taka rezerwacja, link jest w drodze na adres e-mail z rezerwacji. Potrwa to najwyżej kilka minut.",
    sentMore: "Nic nie przyszło? Sprawdź numer i adres oraz folder ze spamem.",
    again: "Spróbuj ponownie",
    askLead: "Ta usługa nie wysyła e-maili.",
    ask: "O link do rezerwacji poproś w sali zabaw: potrzebny jest numer rezerwacji i Twoje nazwisko. Możesz też zapytać asystenta, przez którego zarezerwowano."
  }
}
