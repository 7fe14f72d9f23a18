/** All messages for people, in Polish. */
import type { Messages } from "../en/Messages.ts"
import { desk } from "./Desk.ts"
import { family } from "./Family.ts"
import { letters } from "./Letters.ts"
import { party } from "./Party.ts"
import { rooms } from "./Rooms.ts"
import { visit } from "./Visit.ts"

export const pl: Messages = {
  locale: "pl",
  words: {
    reference: "Numer rezerwacji",
    visit: "Wizyta",
    when: "Kiedy",
    price: "Cena",
    total: "Razem",
    paid: "Zapłacono",
    dueNow: "Do zapłaty teraz",
    balance: "Do zapłaty później",
    refunded: "Zwrócono",
    refunding: "Zwrot w drodze",
    comesBack: "Kwota zwrotu",
    presented: (theirs, ours) => `Zapłacono ${theirs} (${ours}).`,
    together: "Zarezerwowane razem",
    confirmed: "Potwierdzone",
    cancelled: "Anulowane",
    email: "E-mail",
    children: { one: "# dziecko", few: "# dzieci", many: "# dzieci", other: "# dziecka" },
    adults: { one: "# dorosły", few: "# dorosłych", many: "# dorosłych", other: "# dorosłego" },
    ages: (ages) => `wiek: ${ages}`,
    pay: (amount) => `Zapłać ${amount}`,
    lookAgain: "Sprawdź ponownie",
    toBooking: "Wróć do rezerwacji",
    leaveAsItIs: "Zostaw bez zmian",
    ownDevice: "program na Twoim urządzeniu",
    followedBy: (one, next) => `${one} ${next}`,
    backByBank: "Pieniądze wrócą tą samą metodą płatności, zwykle w ciągu 5–10 dni roboczych.",
    backByVenue: "Pieniądze wrócą tak, jak je zapłacono: odda je sama sala zabaw albo znów będą na bonie.",
    backByBoth: (bank, venue) =>
      `${bank} wróci tą samą metodą płatności, zwykle w ciągu 5–10 dni roboczych. Pozostała kwota ${venue} wróci tak, jak ją zapłacono: odda ją sama sala zabaw albo znów będzie na bonie.`,
    backAfterDispute: (amount) =>
      `${amount} wyślemy dopiero po decyzji banku w sprawie reklamowanej płatności, po odjęciu kwoty, którą odda sam bank.`,
    backOnceOpen: (amount) =>
      `Kwoty ${amount} nie można jeszcze wysłać, ponieważ konto sali zabaw u operatora płatności jest teraz zamknięte. Wróci do Ciebie, gdy tylko konto zostanie otwarte. Sala zabaw o tym wie.`,
    comma: ", ",
    clock: (time) => time,
    bring: "Prosimy zabrać",
    askVenue: "Kontakt z salą zabaw:",
    askAtVenue: "Zapytaj na miejscu:"
  },
  landing: {
    lead: "Twój asystent AI znajdzie tu salę zabaw dla dzieci, zarezerwuje ją i poda Ci link do płatności.",
    how: "Widzi, które sale pasują do Twojej grupy, kiedy są wolne i ile dokładnie kosztuje każdy termin. Wybrany termin jest dla Ciebie zarezerwowany na czas płatności.",
    payment: "Płacisz na stronie operatora płatności. Asystent nigdy nie widzi Twojej karty.",
    book: "Zarezerwuj wizytę",
    venuesHeading: "Prowadzisz salę zabaw",
    venues:
      "Rodziny rezerwują Twoje sale przez asystentów, których już używają, płacą na Twoje konto, a zmieniają i anulują na Twoich warunkach. Na własnej stronie widzisz, kto i kiedy przychodzi. Do serwisu dodaje Cię jego operator.",
    askHeading: "O co możesz zapytać",
    asks: [
      "„Znajdź w pobliżu salę zabaw dla ośmiorga dzieci na sobotnie popołudnie.”",
      "„Ile to kosztuje i ile odzyskamy, jeśli anulujemy?”",
      "„Zarezerwuj nam tę na 14:00.”"
    ],
    connectHeading: "Połącz swojego asystenta",
    signInHeading: "Asystenci, w których się logujesz",
    signIn:
      "W ustawieniach asystenta dodaj konektor (bywa nazywany aplikacją lub serwerem MCP) z tym adresem. Następnie nasza strona zapyta, czy się zgadzasz.",
    signInWays: {
      guest: "Nie potrzebujesz konta ani klucza.",
      key: "Wkleisz tam swój klucz API.",
      both: "Nie potrzebujesz konta: przejdź dalej jako gość albo wklej klucz API."
    },
    localOnly:
      "Ten adres działa tylko na tym komputerze i asystenci w sieci do niego nie dotrą: potrzebują publicznego adresu https, jaki ma serwer albo tunel.",
    noSignIn:
      "W tej usłudze nie można się zalogować, więc asystenci, którzy nie mogą wysłać klucza, mogą tu szukać, ale nie rezerwować.",
    headerHeading: "Asystenci i programy, które wysyłają Twój klucz",
    header:
      "Podaj im ten adres oraz klucz w nagłówku `X-API-Key`. W kopiowanym tekście wstaw klucz w miejsce `YOUR_KEY`.",
    keyless:
      "Bez klucza mogą szukać i sprawdzać wolne terminy. Do rezerwacji i płatności potrzebny jest klucz: otrzymasz go od osoby, która prowadzi tę usługę.",
    inFile: (file) => `W pliku \`${file}\`:`,
    inShell: "W terminalu:",
    bearerHeading: "Programy, które wysyłają jeden token",
    bearer: "Adres jest ten sam, a klucz jest tokenem „bearer”:",
    knownHeading: "Co działa i skąd to wiemy",
    known:
      "„Sprawdzone”: robią to testy tej usługi. „Ręcznie”: sami połączyliśmy tę wersję. „Według dokumentacji”: tak podaje producent, a my tego nie sprawdzaliśmy.",
    host: "Asystent",
    sends: "Łączy się przez",
    evidence: "Skąd to wiemy",
    ways: { header: "klucz w nagłówku", bearer: "klucz jako token", sign_in: "logowanie" },
    tried: "sprawdzone",
    byHand: (version) => `ręcznie, wersja ${version}`,
    documented: "według dokumentacji",
    more: "Dla programistów",
    documentation: "Dokumentacja",
    openapi: "Dokument OpenAPI",
    health: "Stan usługi",
    onboarding: {
      done: "Dziękujemy. Osoba prowadząca tę usługę widzi, czy operator płatności potrzebuje czegoś jeszcze, i da Ci znać.",
      expired: "Ten link został już użyty albo wygasł. Poproś osobę prowadzącą tę usługę o nowy."
    }
  },
  signIn: {
    title: (host) => `Połączyć ${host}?`,
    lead: (host) => `${host} chce w Twoim imieniu szukać sal zabaw, rezerwować je i pobierać linki do płatności.`,
    titleLocal: "Połączyć program na Twoim urządzeniu?",
    leadLocal:
      "Program na Twoim urządzeniu chce w Twoim imieniu szukać sal zabaw, rezerwować je i pobierać linki do płatności.",
    who: "Kto prosi o dostęp",
    proven: "Ten adres jest potwierdzony.",
    unproven: (name) => `Program podaje nazwę „${name}”. Nikt jej nie sprawdził.`,
    unprovenNameless: "Nikt nie sprawdził, kto to jest.",
    backTo: "Następnie wrócisz do",
    mayDo: "Na co pozwalasz",
    scopes: {
      "bookings:read": "Oglądanie rezerwacji utworzonych przez to połączenie oraz wcześniejszych, które mu udostępnisz",
      "bookings:write": "Wstępne i ostateczne rezerwowanie miejsc w salach zabaw",
      "payments:write": "Tworzenie linków, przez które płacisz. Samo nie może płacić."
    },
    notYou: "Jeśli to połączenie nie zostało przed chwilą rozpoczęte przez Ciebie, odmów.",
    keyHeading: "Z kluczem API",
    keyLabel: "Klucz API",
    keyNote: "Połączenie działa z tym kluczem, dopóki klucz nie wygaśnie albo nie zakończysz połączenia.",
    keyButton: "Połącz z tym kluczem",
    guestHeading: "Jako gość",
    guestNote:
      "Nie potrzebujesz konta. Widoczne są rezerwacje utworzone przez to połączenie oraz wcześniejsze, jeśli podasz ich numer i adres e-mail.",
    linkLabel: "Link do strony rezerwacji (opcjonalnie)",
    linkNote: "Masz już rezerwację? Z linkiem do jej strony asystent może zajmować się nią tak, jakby sam ją utworzył.",
    guestButton: "Połącz jako gość",
    refuse: "Odmów",
    keyMissing: "Wklej klucz API.",
    keyWrong: "Ten klucz API jest nieprawidłowy albo wygasł.",
    keyAllowsNothing: "Ten klucz API nie pozwala na nic z tego, o co poproszono.",
    linkWrong:
      "Ten link nie otwiera żadnej rezerwacji albo już wygasł. Skopiuj go ze strony swojej rezerwacji lub zostaw pole puste.",
    tooManyTries: "Zbyt wiele prób z Twojego łącza internetowego. Odczekaj minutę i spróbuj ponownie.",
    tooManyGuests:
      "W ciągu ostatniej godziny z Twojego łącza internetowego połączyło się bardzo wielu gości. Spróbuj ponownie za godzinę albo użyj innego łącza, na przykład danych komórkowych zamiast Wi-Fi.",
    noCookieTitle: "Przeglądarka nie zapisała pliku cookie",
    noCookie:
      "Ta strona potrzebuje jednego pliku cookie, aby wiedzieć, że to Ty odpowiadasz. Zezwól na pliki cookie tej witryny albo otwórz link w swojej zwykłej przeglądarce.",
    decidedTitle: "Odpowiedź już otrzymaliśmy",
    decided: "Wróć do asystenta i kontynuuj tam. Jeśli nie jest połączony, połącz go stamtąd ponownie.",
    expiredTitle: "Ta strona wygasła",
    expired: "Była otwarta zbyt długo.",
    errorTitle: "Nie można połączyć",
    error: "Nie można zrobić tego, o co prosi program. Jego autor znajdzie przyczynę tutaj:",
    unavailable: "Usługa chwilowo nie odpowiada. Spróbuj ponownie za moment.",
    startAgain: "Wróć do asystenta i połącz się ponownie."
  },
  publisher: {
    privacy: "Prywatność",
    terms: "Regulamin",
    support: "Pomoc"
  },
  linkProblems: {
    nothing: {
      title: "Nie ma takiej strony",
      lead: "Adres jest nieprawidłowy albo strona została usunięta.",
      more: "Sprawdź, czy adres jest kompletny, albo zacznij od strony głównej:"
    },
    broken: {
      title: "Coś poszło nie tak",
      lead: "Błąd jest po naszej stronie i został zapisany.",
      more: "Spróbuj ponownie za chwilę."
    },
    dead: {
      title: "Ten link już nie działa",
      lead: "Jest niekompletny, został zastąpiony nowym albo jest zbyt stary.",
      more: "Sprawdź, czy skopiowano cały adres. Jeśli tak, poproś o aktualny link asystenta albo salę zabaw."
    },
    invitation: {
      title: "To zaproszenie jest już nieważne",
      lead: "Wizyta została anulowana albo link zastąpiono nowym.",
      more: "Zapytaj osobę, która Cię zaprosiła."
    },
    deskInvitation: {
      title: "Ten link do recepcji już nie działa",
      lead: "Został użyty, zastąpiony lub wycofany, jest za stary albo osoba, która go utworzyła, nie jest już tam kierownikiem.",
      more: "Jeśli masz już klucz dostępu, zaloguj się nim. W przeciwnym razie poproś kierownika recepcji o nowy link."
    },
    unavailable: {
      title: "Nie możemy teraz pokazać tej strony",
      lead: "Nic nie przepadło.",
      more: "Odśwież stronę za chwilę: pokaże wtedy aktualny stan."
    },
    tooMany: {
      title: "Zbyt wiele zapytań",
      lead: "Z Twojej sieci otwarto w ciągu minuty bardzo wiele stron.",
      more: "Odczekaj minutę i odśwież stronę."
    },
    unreadable: {
      title: "Nie udało się odczytać formularza",
      lead: "Dotarł niekompletny i nic się nie zmieniło.",
      more: "Wróć, odśwież stronę i wyślij formularz jeszcze raz."
    }
  },
  operator: {
    visits: { one: "# wizyta", few: "# wizyty", many: "# wizyt", other: "# wizyty" },
    noVisits: "Brak wizyt w tym dniu.",
    unsureToo: (held) => `w tym niepewne: ${held}`,
    days: "Dni",
    today: "Dzisiaj",
    weekBefore: "Poprzedni tydzień",
    weekAfter: "Następny tydzień",
    nextVisit: (date) => `Następna wizyta: ${date}`,
    misunderstood: "Adres wskazuje dzień albo miejsce na liście, którego nie ma. Zamiast niego widzisz ten dzień.",
    prepare: "Do przygotowania",
    closed: "Zamknięte",
    alsoBooked: (reference) => `Ta sama rodzina ma wtedy jeszcze jedną rezerwację: ${reference}`,
    blocked: { closed: "W czasie zamknięcia", overbooked: "Więcej niż jest" },
    blockedToo: (visits) => `w tym do decyzji: ${visits}`,
    visitsBlocked: {
      one: "# wizyta przypada w czasie zamknięcia albo obejmuje więcej, niż jest. Odbędzie się, chyba że zostanie przeniesiona lub anulowana.",
      few: "# wizyty przypadają w czasie zamknięcia albo obejmują więcej, niż jest. Odbędą się, chyba że zostaną przeniesione lub anulowane.",
      many: "# wizyt przypada w czasie zamknięcia albo obejmuje więcej, niż jest. Odbędą się, chyba że zostaną przeniesione lub anulowane.",
      other:
        "# wizyty przypada w czasie zamknięcia albo obejmuje więcej, niż jest. Odbędą się, chyba że zostaną przeniesione lub anulowane."
    },
    otherCalendar: (calendar) => `zajęte w kalendarzu „${calendar}”`,
    allDay: "cały dzień",
    unsure: "Jeszcze niepewne",
    keptUntil: (time) => `Jeszcze nie zapłacono: miejsca czekają do: ${time}.`,
    inQuestion:
      "Dotarła płatność, która nie jest tą, o którą prosiliśmy. Jest sprawdzana: nie przyjmuj za nią pieniędzy.",
    onItsWay: "Płatność jest w toku.",
    extras: "Dodatki",
    notes: "Uwagi",
    toPay: (amount) => `Pozostało do zapłaty: ${amount}`,
    toDo: "Wymaga uwagi",
    /** What the operator can act on, by the kind of notice. */
    notices: {
      paid_back: (amount: string, reference: string) =>
        `Zwrócono całą kwotę (${amount}) za rezerwację ${reference}, a wizyta zachowuje miejsca: zdecyduj, czy się odbędzie.`,
      balance_overdue: (amount: string, reference: string) =>
        `Zaległa kwota za rezerwację ${reference}: ${amount}. Przypomnij rodzinie albo przyjmij zapłatę na miejscu.`,
      unpaid_after_visit: (amount: string, reference: string) =>
        `Wizyta z rezerwacji ${reference} już się odbyła, a ${amount} nie zapłacono. Zapisz płatność, jeśli ją masz, albo poproś rodzinę o zapłatę.`,
      refund_failed: (amount: string, reference: string) =>
        `Zwrot ${amount} za rezerwację ${reference} się nie powiódł: ustal z rodziną, jak otrzyma pieniądze.`,
      refund_waits_for_money: (amount: string, reference: string) =>
        `Zwrot ${amount} za rezerwację ${reference} czeka na środki: zasil swoje saldo u operatora płatności.`,
      refund_waits_for_dispute: (amount: string, reference: string) =>
        `Zwrot ${amount} za rezerwację ${reference} czeka na zakończenie reklamacji: odpowiedz na nią w panelu operatora płatności.`,
      refund_at_venue: (amount: string, reference: string) =>
        `Zwróć ${amount} na miejscu: rezerwację ${reference} opłacono na miejscu, a zwrot jest już postanowiony.`,
      disputed: (amount: string, reference: string) =>
        `Płatnik rezerwacji ${reference} reklamuje w banku ${amount}: odpowiedz w panelu operatora płatności.`,
      dispute_lost: (amount: string, reference: string) =>
        `Reklamacja kwoty ${amount} za rezerwację ${reference} została uznana i płatnik odzyskał pieniądze: zdecyduj, czy wizyta się odbędzie, chyba że została anulowana. Jeśli pieniądze zostały też zwrócone przez Ciebie, płatnik ma je podwójnie.`,
      dispute_won: (amount: string, reference: string) =>
        `Reklamacja kwoty ${amount} za rezerwację ${reference} została ostatecznie odrzucona i pieniądze do Ciebie wróciły: jeśli wizyta została anulowana, zapytaj rodzinę, czy chce zarezerwować ponownie.`
    },
    accountClosed: (since) =>
      `Konto u operatora płatności nie przyjmuje płatności od ${since}: nie można dokonywać nowych rezerwacji. Zaloguj się tam i odpowiedz na jego pytania; gdy tylko konto zacznie przyjmować płatności, rezerwacje będą znów możliwe.`,
    calendarNotices: {
      notRead: (calendar, playroom, since) =>
        `Kalendarza „${calendar}” (${playroom}) nie odczytano od ${since}: to, co wpisano tam później, nie jest tu zamknięte. Sprawdź jego adres.`,
      eventNotRead: (calendar, playroom) =>
        `Kalendarz „${calendar}” (${playroom}) ma wpis, którego nie udało się w pełni odczytać: sprawdź, czy jego godziny są tu zamknięte.`,
      booking: (reference, playroom, calendar) =>
        `Rezerwacja ${reference} (${playroom}) przypada na czas zajęty w kalendarzu „${calendar}”: jeśli to to samo przyjęcie, wpisz numer rezerwacji w tytule tamtego wpisu; jeśli nie, przenieś jedno z nich.`
    },
    allGivenBack: "Wszystko zwrócono, a wizyta nie jest anulowana: czy się odbędzie?",
    overdue: (amount, since) => `Pozostało do zapłaty: ${amount}, po terminie od: ${since}`,
    givenBack: "Zapłacono, a pieniądze zwrócono",
    nothingToPay: "Nic do zapłaty",
    more: "Kolejne wizyty tego dnia",
    fromStart: "Od początku dnia",
    calendar: "W Twoim kalendarzu",
    calendarLead: "Twój kalendarz może śledzić te wizyty. Jeśli przycisk nie działa, zasubskrybuj ten adres:",
    subscribe: "Subskrybuj",
    secret:
      "Kto zna adres tej strony albo kalendarza, widzi nazwiska Twoich gości. Udostępniaj je tylko swojemu zespołowi.",
    calendarName: (operator) => `Wizyty: ${operator}`,
    phone: "Telefon",
    erased: "Nazwisko usunięte"
  },
  card: {
    title: "Rezerwacja sali zabaw",
    waiting: "Czekamy na odpowiedź…",
    working: "Chwileczkę…",
    stopped: "Zapytanie zostało przerwane.",
    chooseTime: "Wybierz termin",
    timesLeft: "Terminy",
    noTimes: "Brak wolnych terminów",
    nextDay: (day) => `Następny wolny dzień: ${day}.`,
    placesLeft: {
      one: "zostało # miejsce",
      few: "zostały # miejsca",
      many: "zostało # miejsc",
      other: "zostało # miejsca"
    },
    dueNowOf: (amount) => `teraz ${amount}`,
    noRefund: "W razie anulowania kwota płatna teraz nie podlega zwrotowi.",
    refundUntil: (amount, moment) => `Zwrot ${amount} w razie anulowania do: ${moment}.`,
    bookThis: "Zarezerwuj ten termin",
    moreTimes: "Więcej terminów",
    otherTimes: "Inne terminy",
    details: "Kto rezerwuje?",
    name: "Imię i nazwisko",
    nameMissing: "Wpisz imię i nazwisko.",
    emailWrong: "Wpisz adres e-mail, na przykład ana@example.com.",
    freeHold: "Miejsca będą wtedy dla Ciebie zarezerwowane. Bez zapłaty rezerwacja wygaśnie i nic nie kosztuje.",
    book: "Zarezerwuj",
    back: "Wstecz",
    refresh: "Odśwież",
    balanceBy: (amount, day) => `${amount} (termin: ${day})`,
    balanceAtVenue: (amount) => `${amount} na miejscu`,
    allPaidBack: "Zwrócono: zapytaj w sali zabaw",
    held: "Zarezerwowane dla Ciebie",
    expired: "Już nie zarezerwowane",
    processing: "Płatność w toku",
    payment: "Płatność",
    timeLeft: "Czas na zapłatę",
    payOpened: "Strona płatności jest otwarta. Wróć tutaj po zapłacie.",
    bookingPage: "Strona rezerwacji",
    pageOpened: "Strona rezerwacji jest otwarta. Wprowadzone tam zmiany zobaczysz tu po powrocie.",
    openYourself: "Nie udało się stąd otworzyć strony. Otwórz ten adres:",
    unchanged: "Nic się jeszcze nie zmieniło.",
    notPassedOn: "Asystent tego nie przekazał. Spróbuj ponownie albo poproś go na czacie.",
    rateLimited: (n) => `Zbyt wiele zapytań. Spróbuj ponownie za ${n} s.`,
    near: "Zbliżone terminy:",
    reasons: {
      closed: "Sala zabaw jest wtedy zamknięta.",
      not_sold_on_these_days: "Sala zabaw nie oferuje tego w te dni.",
      fully_booked: "Wszystkie miejsca są wtedy zajęte.",
      add_ons_taken: "Dodatki są wtedy zajęte gdzie indziej lub nieczynne. Bez nich sala jest wolna.",
      too_soon: "Zostało za mało czasu: sala zabaw przyjmuje rezerwacje z większym wyprzedzeniem.",
      too_far_ahead: "Sala zabaw nie przyjmuje rezerwacji z tak dużym wyprzedzeniem.",
      party_too_large: "Grupa jest za duża dla tej sali zabaw.",
      party_too_small: "Grupa jest za mała dla tej sali zabaw.",
      in_the_past: "Ten dzień już minął.",
      outside_your_times: "W tych godzinach nic nie jest wolne."
    },
    errors: {
      api_key_missing:
        "To połączenie pokazuje terminy, ale nie może rezerwować. Osoba, która je skonfigurowała, musi dodać klucz API.",
      api_key_invalid: "Klucz API tego połączenia jest nieprawidłowy. Osoba, która je skonfigurowała, musi podać inny.",
      api_key_scope: "Klucz API tego połączenia na to nie pozwala. Osoba, która je skonfigurowała, musi podać inny.",
      invalid_arguments: "Jedna z podanych informacji nie została przyjęta. Sprawdź ją i spróbuj ponownie.",
      playroom_not_found: "Ta sala zabaw nie jest już dostępna. Poproś asystenta o inną.",
      package_not_found: "Ta oferta nie jest już dostępna. Zobacz inne terminy.",
      booking_not_found: "To połączenie nie widzi tej rezerwacji. Zapytaj w sali zabaw.",
      option_invalid: "Ten termin nie jest już dostępny. Zobacz inne terminy.",
      price_changed: "Cena, termin lub warunki się zmieniły, dlatego nic nie zarezerwowano. Oto obecna oferta:",
      slot_unavailable: "Nic nie zarezerwowano. Zobacz inne terminy.",
      hold_expired: "Czas na zapłatę minął. Zobacz inne terminy.",
      booking_cancelled: "Ta rezerwacja jest anulowana i nie można za nią zapłacić. Zobacz inne terminy.",
      nothing_due: "Teraz nie ma nic do zapłaty. Odśwież, aby zobaczyć rezerwację.",
      operator_unavailable: "Ta sala zabaw nie przyjmuje teraz rezerwacji ani płatności. Poproś asystenta o inną.",
      idempotency_conflict: "O to samo poproszono już z innymi danymi. Poproś asystenta, aby spróbował ponownie.",
      already_booked:
        "Masz już tę rezerwację z innego czatu. Nic więcej nie zarezerwowano. Podaj asystentowi numer rezerwacji z potwierdzenia i swój adres e-mail albo otwórz link do rezerwacji.",
      too_many_holds:
        "Nic nie zarezerwowano: obecnie jest zbyt wiele nieopłaconych rezerwacji. Jeśli jedna z nich jest Twoja, opłać ją lub anuluj. W przeciwnym razie spróbuj ponownie za kilka minut albo wybierz inny dzień.",
      payment_provider_unavailable:
        "Nie można teraz otworzyć strony płatności. Nic nie pobraliśmy. Spróbuj ponownie za kilka minut.",
      service_unavailable: "Usługa rezerwacji teraz nie odpowiada. Spróbuj ponownie za minutę.",
      internal_error: "W usłudze rezerwacji coś poszło nie tak. Spróbuj ponownie albo poproś asystenta."
    }
  },
  ...desk,
  ...family,
  ...letters,
  ...party,
  ...rooms,
  ...visit
}
