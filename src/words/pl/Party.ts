/**
 * Messages of the page on which a family changes its party, in Polish.
 */
import type { Party } from "../en/Party.ts"

export const party: Party = {
  party: {
    change: "Zmień swoją grupę",
    changeDetails: "Zmień swoje życzenia",
    lead: (until) =>
      `Wszystko to możesz zmienić samodzielnie. Zanim cokolwiek się zmieni, zobaczysz, ile to kosztuje lub ile wróci. Zmiana możliwa do: ${until}.`,
    detailsOnly:
      "Imię i nazwisko, adres e-mail, telefon, wiek dzieci i życzenia możesz zmieniać do początku wizyty. To nic nie kosztuje.",
    correct: "Popraw nazwisko lub adres",
    contactOnly: "Jeśli imię i nazwisko, adres e-mail lub telefon są błędne, popraw je tutaj.",
    headcountFinal: (when) => `Liczba osób jest już ostateczna (od: ${when}). Aby ją zmienić, zapytaj w sali zabaw.`,
    growsOnly: "Grupa może się powiększyć, ale nie zmniejszyć. Jeśli przyjdzie mniej osób, zapytaj w sali zabaw.",
    notSold:
      "To, co zarezerwowano, nie jest już sprzedawane w tej formie, więc nie można tu zmienić grupy. Zapytaj w sali zabaw.",
    ages: "Wiek dzieci",
    agesHint: "Po jednym dla każdego dziecka, na przykład 4, 5, 5. Możesz też zostawić puste.",
    agesPriced:
      "Po jednym dla każdego dziecka, na przykład 4, 5, 5. Zależy od tego cena: bez podania wieku jest najwyższa.",
    extras: "Dodatki",
    perChild: (price) => `${price} za każde dziecko`,
    each: (price) => `${price} za sztukę`,
    name: "Imię i nazwisko",
    emailHint: "Po poprawce wiadomości i nowy link przyjdą na nowy adres, a wcześniejsze linki przestaną działać.",
    phone: "Telefon",
    check: "Zobacz, co się zmieni",
    title: "Zmienić tę rezerwację?",
    none: "brak",
    before: (value) => `Dotychczas: ${value}`,
    costsNothing: "To nic nie kosztuje.",
    confirm: "Zmień rezerwację",
    edit: "Wróć do edycji",
    changed: "Niczego nie zmieniono: coś innego zmieniło się od otwarcia strony. Oto aktualny stan.",
    same: "Niczego jeszcze nie zmieniono.",
    tooMany:
      "Niczego nie zmieniono: w tym dniu jest już maksymalna liczba bezpłatnych lub nieopłaconych rezerwacji. Zapytaj w sali zabaw.",
    errors: {
      lead: "Niczego nie zmieniono. Sprawdź zaznaczone pola.",
      number: "Podaj liczbę całkowitą.",
      children: (least, most) => `Twój pakiet jest dla grup od ${least} do ${most} dzieci.`,
      adults: (most) => `Maksymalna liczba dorosłych: ${most}.`,
      ages: (n) => `Podaj wiek każdego dziecka (razem: ${n}) albo żaden.`,
      ageRange: (from, to) =>
        `Ta sala zabaw jest dla dzieci w wieku od ${from} do ${to} lat. Wyjątek może zrobić tylko sala zabaw.`,
      room: (left) => `O tej godzinie jest miejsce najwyżej dla takiej liczby dzieci: ${left}.`,
      extra: (most) => `O tej godzinie dostępne są najwyżej: ${most}.`,
      name: "Podaj imię i nazwisko.",
      email: "Podaj adres e-mail, na przykład ana@example.com.",
      phone: "Podaj numer telefonu, na przykład +48 22 123 45 67.",
      notes: "Napisz najwyżej 1000 znaków.",
      closed: "O tej godzinie sala zabaw jest zamknięta, więc niczego nie zmieniono. Zapytaj w sali zabaw."
    }
  },
  venueAsks: {
    title: "Sala zabaw pyta",
    lead: "Odpowiedzi trafiają do sali zabaw. Możesz je zmieniać do początku wizyty.",
    open: {
      one: "Sala zabaw ma do Ciebie # pytanie przed wizytą.",
      few: "Sala zabaw ma do Ciebie # pytania przed wizytą.",
      many: "Sala zabaw ma do Ciebie # pytań przed wizytą.",
      other: "Sala zabaw ma do Ciebie # pytania przed wizytą."
    },
    answer: "Odpowiedz",
    change: "Zmień odpowiedzi",
    needed: "Sala zabaw potrzebuje tej odpowiedzi.",
    choose: "Wybierz",
    save: "Zapisz odpowiedzi",
    again: "Niczego nie zapisano: w międzyczasie coś się zmieniło. Przejrzyj swoje odpowiedzi jeszcze raz.",
    stored: (answer) => `Zapisano w międzyczasie: ${answer}`,
    tooLong: "Napisz najwyżej 500 znaków.",
    notOffered: "Wybierz jedną z odpowiedzi.",
    answers: "Odpowiedzi",
    unanswered: "Jeszcze bez odpowiedzi"
  }
}
