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
    payTogether: (several, amount) => `Zapłać za wszystkie ${several} naraz: ${amount}`,
    eachAlone: "Każdą z tych rezerwacji zmienia się i anuluje osobno.",
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
  voucher: {
    title: "Bon podarunkowy",
    worth: "Wartość",
    left: "Zostało na bonie",
    until: "Ważny do",
    noEnd: "Bon nie traci ważności.",
    how: "Podaj kod, płacąc na miejscu, albo wpisz go na stronie rezerwacji. To, czego nie wydasz, zostaje na bonie.",
    keep: "Każdy, kto ma kod, może go wykorzystać: przechowuj go jak gotówkę.",
    forWhom: "Dla",
    from: "Od",
    use: "Mam bon",
    lead: "Bon płaci tyle, ile na nim zostało, ale nie więcej, niż jest jeszcze do zapłaty.",
    code: "Kod bonu",
    codeHint: "16 liter i cyfr. Myślniki i małe litery nie mają znaczenia.",
    look: "Sprawdź, ile zapłaci",
    pays: "Bon płaci",
    pay: (amount) => `Zapłać bonem ${amount}`,
    less: (due) =>
      `Sam bon nie wystarczy: od razu trzeba by dopłacić ${due}. Zapytaj salę zabaw albo zapłać online to, co jest teraz do zapłaty, a resztę bonem.`,
    none: "Nie ma bonu z takim kodem. Sprawdź każdą literę.",
    again: "Nic nie zapłacono: od tamtej chwili coś się zmieniło. Tak jest teraz.",
    refused: {
      slip: "Kod nie jest wpisany dokładnie tak, jak go wydrukowano. Sprawdź każdą literę.",
      unknown: "Ta sala zabaw nie sprzedała bonu z takim kodem.",
      voided: "Bon jest nieważny: jego sprzedaż cofnięto.",
      expired: "Bon stracił ważność.",
      used_up: "Na bonie nic nie zostało.",
      other_currency: "Bon jest w innej walucie."
    }
  },
  buying: {
    title: "Kup bon podarunkowy",
    lead: "Płaci za wizyty i przyjęcia w tej sali zabaw, od razu w całości albo po części.",
    amount: "Kwota",
    bounds: (least, most) => `Od ${least} do ${most}.`,
    valid: "Ważność",
    recipient: "Dla kogo (puste: linia do wypełnienia)",
    greeting: "Linijka życzeń (nieobowiązkowa)",
    pay: "Zapłać online",
    how: "Płacisz na stronie operatora płatności. Potem pokaże się bon, do wydruku albo do przekazania.",
    byLetter: "Odnośnik przyjdzie też e-mailem.",
    none: "Ta sala zabaw nie sprzedaje teraz bonów online.",
    wrongAmount: (least, most) => `Podaj kwotę od ${least} do ${most}.`,
    greetingWrong: "Napisz jedną linijkę, najwyżej 200 znaków.",
    tooMany: "Zaczęto tu kilka zakupów bonów i ich nie opłacono. Spróbuj ponownie za godzinę.",
    unavailable: "Teraz nie można utworzyć strony płatności. Spróbuj ponownie za kilka minut.",
    openTitle: "Jeszcze nie zapłacono",
    open: "Strona płatności jest nadal otwarta.",
    goOn: "Przejdź do płatności",
    processingTitle: "Płatność jest przetwarzana",
    processing: "Bon pojawi się, gdy tylko płatność dotrze. Otwórz wtedy tę stronę ponownie.",
    checkedTitle: "Płatność jest sprawdzana",
    checked: "Nie zgadza się z tym, o co proszono. Sala zabaw o tym wie i się odezwie.",
    overTitle: "Nic nie zapłacono",
    over: "Strona płatności jest zamknięta, więc bonu nie ma.",
    subject: "Twój bon podarunkowy",
    thanks: "Dziękujemy. To jest strona bonu, do wydruku albo do przekazania.",
    openVoucher: "Otwórz bon",
    why: "Ten list przyszedł, bo ten adres podano przy zakupie bonu."
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
    paidBy: {
      cash: "Wpłata gotówką",
      card: "Wpłata kartą na miejscu",
      transfer: "Wpłata przelewem",
      voucher: "Wpłata bonem"
    },
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
