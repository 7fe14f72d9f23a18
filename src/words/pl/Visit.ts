/** Messages around a visit: deadlines, calendars, the invitation and the receipt, in Polish. */
import type { Visit } from "../en/Visit.ts"

export const visit: Visit = {
  deadlines: {
    left: (duration) => `Pozostało: ${duration}`,
    lessThanAMinute: "Pozostało mniej niż minuta",
    over: "Czas minął: wczytaj stronę ponownie.",
    until: (moment) => `do: ${moment}`,
    untilToday: (time) => `do ${time}`,
    yours: (time) => `(u Ciebie ${time})`,
    local: "Wszystkie godziny podajemy w czasie lokalnym miejsca wizyty."
  },
  page: {
    bookAgain: "Zarezerwuj ponownie",
    bookAgainHow:
      "Poproś asystenta o inny termin. Jeśli go nie masz, sprawdź, którzy asystenci mogą tu rezerwować, albo zapytaj w sali zabaw.",
    assistants: "Asystenci, którzy mogą rezerwować",
    suspended: "Sala zabaw chwilowo nie przyjmuje tu nowych rezerwacji. Twoja rezerwacja pozostaje ważna.",
    moved: (from) =>
      `Wizyta została przeniesiona. Poprzedni termin: ${from}. Jeśli masz ją w kalendarzu, zaktualizuj wpis.`,
    otherRoom: (now, before) =>
      `Wizyta odbędzie się w innej sali: ${now}. Poprzednia sala: ${before}. Jeśli masz ją w kalendarzu, zaktualizuj wpis.`,
    payTo: (operator) => `Odbiorca płatności: ${operator}. Płacisz na stronie operatora płatności i wracasz tutaj.`,
    kept: "Zatrzymane przez salę zabaw",
    byTerms: (when, amount) => `Anulowano: ${when}. Zgodnie z warunkami w tym momencie zwrot wynosił ${amount}.`,
    byTermsNothing: (when) => `Anulowano: ${when}. Zgodnie z warunkami w tym momencie zwrot już nie przysługiwał.`,
    map: "Mapa",
    directions: "Dojazd",
    moveInstead: (until) => `Zamiast anulować, możesz przenieść wizytę na inny termin – do: ${until}.`,
    earlier: "Nowy termin jest wcześniejszy, więc terminy anulowania ze zwrotem też będą wcześniejsze, na stałe.",
    earlierMoney: (now, then) => `Jeśli anulujesz teraz, zwrot wyniesie ${now}. Po przeniesieniu: ${then}.`
  },
  refundTable: {
    caption: "Zwrot w razie anulowania",
    until: "Do",
    ofPaid: (sum) => `z wpłaconych ${sum}`,
    ofDueNow: (sum) => `po wpłacie ${sum}`,
    ofAll: (sum) => `po wpłacie całości (${sum})`,
    nothing: "brak zwrotu",
    afterwards: "później"
  },
  calendars: {
    google: "Kalendarz Google",
    outlook: "Outlook.com"
  },
  invitation: {
    share: "Zaproś gości",
    shareLead:
      "Wyślij gościom ten link. Zobaczą, gdzie i kiedy się spotykacie, i nic więcej: ani ceny, ani nazwisk, ani uwag. Mogą dać znać, że przyjdą, i niczego nie mogą zmienić.",
    shareOpen: "Zobacz zaproszenie",
    title: "Zaproszenie",
    ask: "Masz pytania? Zapytaj osobę, która Cię zaprosiła.",
    come: "Przyjdziemy",
    childName: "Imię dziecka",
    allergies: "Czego dziecko nie może jeść",
    allergiesHint: "Na przykład alergie. Można zostawić puste.",
    whoSees: "Widzi to osoba, która zaprasza, i sala zabaw. Inni goście tego nie widzą.",
    send: "Przyjdziemy",
    thanks: "Dziękujemy: osoba, która zaprasza, już to widzi. Jeśli przyjdzie jeszcze jedno dziecko, wpisz je również.",
    full: "Niczego nie zapisano: lista jest pełna. Powiedz o tym osobie, która zaprasza.",
    begun: "Niczego nie zapisano: wizyta już się zaczęła.",
    wrong: "Niczego nie zapisano. Sprawdź to, co jest zaznaczone.",
    noName: "Podaj imię, najwyżej 60 znaków.",
    tooLong: "Napisz najwyżej 200 znaków.",
    guests: "Goście, którzy przyjdą",
    remove: "Usuń"
  },
  receipt: {
    title: "Potwierdzenie płatności",
    from: "Od",
    taxNumber: "NIP",
    forWhom: "Dla",
    bookedOn: "Zarezerwowano",
    payments: "Płatności",
    date: "Data",
    payment: "Wpłata",
    paidBy: { cash: "Wpłata gotówką", card: "Wpłata kartą na miejscu", transfer: "Wpłata przelewem" },
    refund: "Zwrot",
    refundOpen: "Zwrot w drodze",
    refundWaits: "Zwrot jeszcze niewysłany",
    causes: {
      late_payment: "Wpłata po zwolnieniu miejsc",
      cancellation: "W związku z anulowaniem",
      duplicate_payment: "Zapłacono dwa razy",
      dashboard: "Zwrócone przez salę zabaw",
      dispute: "Przez bank, po reklamacji",
      move: "Zapłacono więcej niż cena",
      goodwill: "Rekompensata",
      misfit: "Inna kwota niż żądana"
    },
    nonePaid: "Nic jeszcze nie zapłacono.",
    left: "Pozostało do zapłaty",
    printed: "Aby je zachować, wydrukuj tę stronę lub zapisz ją jako PDF.",
    notInvoice: "Jeśli potrzebujesz faktury, poproś o nią salę zabaw."
  }
}
