/**
 * Messages for families about their bookings, in Polish. People are addressed as "Ty", as Polish shops and booking
 * services do, without past tenses that tell a person's sex. Dates stand after a colon, since `Intl` can't inflect
 * them.
 */
import type { Family } from "../en/Family.ts"
import { standingMessage } from "../Message.ts"

export const family: Family = {
  booking: {
    what: "Co",
    where: "Gdzie",
    who: "Kto",
    bookedBy: "Rezerwujący",
    notes: "Twoje życzenia",
    quantity: "Liczba",
    amount: "Kwota",
    lines: {
      children: "Dzieci",
      extraChildren: "Dodatkowe dzieci",
      adults: "Dorośli",
      extraAdults: "Dodatkowi dorośli",
      billedAs: (n) => `naliczono za: ${n}`,
      tax: (percent) => `Podatek (${percent})`,
      waived: "Nie pobieramy: zbyt mała kwota",
      agreed: "Zgodnie z wcześniejszymi ustaleniami"
    },
    tax: (percent, amount, included) => `${included ? "W tym" : "Plus"} podatek ${percent}: ${amount}`,
    by: (when) => `termin: ${when}`,
    atVenue: "na miejscu",
    terms: "Jeśli zmienią się plany",
    rules: "Regulamin sali",
    questions: "Pytania",
    payNote: "Zapłacisz na stronie operatora płatności, a potem wrócisz tutaj.",
    payBalance: (amount) => `Zapłać resztę: ${amount}`,
    calendar: "Dodaj do kalendarza",
    calendarUpdate: "Zaktualizuj kalendarz",
    disputed: "Płatność za tę rezerwację jest reklamowana w banku. Do czasu decyzji banku nie zwracamy niczego osobno.",
    unclear:
      "Jednej płatności za tę rezerwację nie udało się zaksięgować jak zwykle; zajmują się nią pracownicy. Jeśli coś się tu nie zgadza, zapytaj w sali zabaw.",
    sentBack: (amount, arrived) =>
      `Płatność ${amount} nie była tą, o którą prosiliśmy, dlatego ${arrived ? "wróciła" : "wraca"} do Ciebie tą samą drogą.`,
    secret: "Kto zna adres tej strony, może zobaczyć i zmienić rezerwację. Nie udostępniaj go.",
    underWayTitle: "Ta rezerwacja jest właśnie zmieniana",
    underWay: "Trwa inna zmiana tej rezerwacji, dlatego nic nie zrobiliśmy. Sprawdź ponownie za minutę.",
    faults: {
      changed: "Teraz nie ma tu nic do zapłaty. Oto aktualny stan rezerwacji.",
      stale: "Coś się zmieniło od otwarcia strony, dlatego nic nie pobraliśmy. Oto aktualny stan rezerwacji.",
      operator: "Sala zabaw nie może teraz przyjmować płatności online. Skontaktuj się z nią. Nic nie pobraliśmy.",
      provider: "Strona płatności jest teraz niedostępna. Spróbuj ponownie za minutę. Nic nie pobraliśmy."
    }
  },
  /** The page where a booking can be paid and nothing else. */
  payPage: {
    title: "Zapłać za rezerwację",
    /** Precedes the operator's name. */
    payee: "Odbiorca płatności",
    thenConfirmed: "Po zapłacie rezerwacja będzie potwierdzona.",
    thenPaid: "Po tej wpłacie wszystko będzie zapłacone."
  },
  cancel: {
    title: "Anulować tę rezerwację?",
    nothingPaid: "Nic, bo nic nie zapłacono.",
    all: (refund) => `Cała zapłacona kwota: ${refund}.`,
    part: (refund, paid) => `${refund} z zapłaconych ${paid}.`,
    none: (paid) => `Nic z zapłaconych ${paid}.`,
    wentBackBefore: (amount) => `Zwrócono już wcześniej: ${amount}.`,
    nothingMore: "Nie przysługuje dalszy zwrot.",
    alreadyOnItsWay: (amount) => `Zwrot ${amount} jest już w drodze.`,
    stillArrives: "Jeśli dotrze jeszcze jakaś Twoja płatność, zwrócimy ją w całości.",
    notAsked:
      "Nie udało się zapytać operatora płatności, czy część pieniędzy już wróciła. Zapytamy przed wysłaniem zwrotu; w takim przypadku będzie on niższy.",
    places: "Twoje miejsca od razu będą wolne dla innych. Tego nie da się cofnąć.",
    cancel: "Anuluj rezerwację",
    keep: "Zachowaj rezerwację",
    changed: "Niczego nie anulowano: coś się zmieniło od otwarcia strony. Oto aktualny stan.",
    begunTitle: "Wizyta już się zaczęła",
    begun: "Nie można jej już tutaj anulować."
  },
  move: {
    move: "Zmień termin",
    chooseDay: "Wybierz inny dzień",
    chooseTime: "Wybierz godzinę",
    now: (when) => `Obecny termin wizyty: ${when}.`,
    rule: (until) =>
      `Możesz samodzielnie przenieść wizytę na dowolny z tych terminów. Jeśli termin kosztuje więcej lub mniej, podana jest jego cena. Zmiana możliwa do: ${until}.`,
    times: { one: "# termin", few: "# terminy", many: "# terminów", other: "# terminu" },
    noneIn: (month) => `Brak wolnych terminów dla Twojej grupy: ${month}.`,
    noneOn: (day) => `Brak wolnych terminów dla Twojej grupy: ${day}.`,
    months: "Miesiące",
    anotherDay: "Inny dzień",
    title: "Zmienić termin tej rezerwacji?",
    from: "Dotychczas",
    to: "Po zmianie",
    stays: (total) => `Bez zmian: ${total}.`,
    waived: (amount) => `Różnica ${amount} jest zbyt mała, aby ją pobierać, więc jej nie płacisz.`,
    goodwill: (amount) => `W ramach rekompensaty zwrócono ${amount}. To się nie zmienia i nie jest tu liczone.`,
    instead: (total, before) => `${total} zamiast ${before}.`,
    more: (amount) => `${amount} więcej niż dotychczas.`,
    less: (amount) => `${amount} mniej niż dotychczas.`,
    nothingBack: "Nic: nie zapłacono więcej, niż wynosi nowa cena.",
    counted: (when) => `Zwrot w razie anulowania liczymy według terminu: ${when}. Zmiana terminu go nie zwiększa.`,
    confirm: "Zmień termin rezerwacji",
    anotherTime: "Inna godzina",
    changed: "Terminu nie zmieniono: coś się zmieniło od otwarcia strony. Oto aktualny stan.",
    tooMany:
      "Terminu nie zmieniono: w tym dniu jest już maksymalna liczba bezpłatnych lub nieopłaconych rezerwacji. Wybierz inny dzień albo zapytaj w sali zabaw.",
    gone: "Terminu nie zmieniono: ten termin nie jest już dostępny. Oto wolne terminy.",
    sorryTitle: "Teraz nie można tu zmienić terminu",
    notFree: "Warunki Twojej rezerwacji nie pozwalają teraz na bezpłatną zmianę terminu.",
    begun: "Wizyta już się zaczęła.",
    payment: "Płatność za tę rezerwację jest w toku. Spróbuj ponownie, gdy dotrze, albo za pół godziny.",
    refund: "Zwrot pieniędzy jest w drodze. Spróbuj ponownie, gdy dotrze.",
    otherCurrency:
      "Ceny są tu teraz w innej walucie niż Twoja rezerwacja, dlatego nie można zmienić jej terminu. Możesz ją anulować i zarezerwować od nowa.",
    notSold: "Innych terminów nie można teraz zarezerwować."
  },
  access: {
    saidName: (name) => `Podaje nazwę „${name}”.`,
    unconfirmed: "Nikt nie potwierdził, kto to jest.",
    bookedThrough: "Zarezerwowano przez",
    ended: "Jego dostęp się zakończył.",
    end: "Zakończ dostęp",
    title: (who) => `Zakończyć dostęp: ${who}?`,
    lead: "Nie będzie już mógł oglądać, tworzyć ani opłacać Twoich rezerwacji. Aby znów z niego korzystać, połącz go ponownie.",
    joined: "Asystenci, którzy też mają dostęp",
    since: (date) => `Od: ${date}.`,
    mayChange: "Może oglądać, zmieniać i opłacać tę rezerwację.",
    mayPay: "Może oglądać i opłacać tę rezerwację.",
    remove: "Odbierz dostęp",
    removeTitle: (who) => `Odebrać dostęp: ${who}?`,
    removeLead: "Nie będzie już mógł oglądać, zmieniać ani opłacać tej rezerwacji.",
    again:
      "Kto zna adres tej strony, może ponownie połączyć asystenta. Jeśli zna go niepowołana osoba, poproś w sali zabaw o nowy adres.",
    another: "Aby kontynuować z innym asystentem, połącz go jako gość i wklej adres tej strony, gdy o niego poprosimy.",
    stays: "Twoje rezerwacje pozostają bez zmian, a ta strona też."
  },
  terms: {
    nothingToPay: "Nie ma nic do zapłaty.",
    deposit: (amount, kept) => `Przedpłata: ${amount}${kept ? " (nie podlega zwrotowi)" : ""}.`,
    wentBack: (amount) => `Zwrócono już: ${amount}.`,
    nothingBack: "Zapłacona kwota nie podlega zwrotowi.",
    nothingMoreBack: "Nie przysługuje dalszy zwrot.",
    headcountBy: (when) => `Liczbę dzieci możesz zmienić samodzielnie na stronie rezerwacji do: ${when}.`,
    growsBy: (when) =>
      `Do ${when} możesz samodzielnie dopisać kolejne osoby na stronie rezerwacji, ale nie zmniejszyć ich liczby.`,
    headcountFinal: "Liczba dzieci jest już ostateczna.",
    moveUntil: (when) => `Bezpłatna zmiana terminu możliwa do: ${when}.`,
    restAtVenue: "Pozostałą kwotę płaci się na miejscu.",
    releasedAt: (when) => `Jeśli reszta nie zostanie zapłacona w terminie (${when}), miejsca zostaną zwolnione.`
  },
  standings: {
    to_pay: standingMessage(
      "Miejsca są dla Ciebie zarezerwowane",
      ({ amount }) => `Zapłać do tego czasu ${amount}, a rezerwacja będzie potwierdzona.`
    ),
    payment_failed: standingMessage(
      "Płatność się nie powiodła",
      "Nic nie pobraliśmy, a miejsca nadal są zarezerwowane: możesz spróbować ponownie."
    ),
    not_payable: standingMessage("Miejsca są dla Ciebie zarezerwowane", ({ sent_back }) =>
      sent_back === ""
        ? "Sala zabaw nie może teraz przyjmować tu płatności. Skontaktuj się z nią, zanim minie czas. Nic nie pobraliśmy."
        : "Sala zabaw nie może teraz przyjmować tu płatności. Skontaktuj się z nią, zanim minie czas."
    ),
    payment_processing: standingMessage(
      "Twoja płatność jest w toku",
      "Niektóre sposoby płatności trwają kilka dni. Miejsca są zarezerwowane do czasu, aż pieniądze dotrą. Nie musisz nic robić."
    ),
    payment_under_review: standingMessage(
      "Sprawdzamy Twoją płatność",
      ({ in_question }) =>
        `Dotarła płatność ${in_question}, która nie jest tą, o którą prosiliśmy; ktoś się tym zajmuje. Miejsca są w tym czasie zarezerwowane. Nie płać ponownie.`
    ),
    arriving: standingMessage(
      "Sprawdzamy Twoją płatność",
      "Czas na zapłatę minął, ale płatność mogła zostać wykonana w ostatniej chwili. Sprawdź ponownie za minutę."
    ),
    free: standingMessage("Rezerwacja jest potwierdzona", "Nie ma nic do zapłaty. Udanej zabawy!"),
    paid: standingMessage("Rezerwacja jest potwierdzona", ({ comes_back, paid_back }) =>
      comes_back === "" && paid_back === ""
        ? "Wszystko jest zapłacone. Udanej zabawy!"
        : "Nie ma już nic do zapłaty. Udanej zabawy!"
    ),
    confirmed_paid_back: standingMessage("Pieniądze zostały zwrócone", ({ comes_back, paid_back }) =>
      comes_back === ""
        ? `Zwrócono ${paid_back}, ale rezerwacja nie została anulowana. Zapytaj w sali zabaw, czy wizyta się odbędzie. Nie musisz płacić ponownie.`
        : `Zwracamy Ci ${comes_back}, ale rezerwacja nie została anulowana. Zapytaj w sali zabaw, czy wizyta się odbędzie. Nie musisz płacić ponownie.`
    ),
    balance_due: standingMessage("Rezerwacja jest potwierdzona", ({ amount, online, until }) =>
      online
        ? `Pozostało do zapłaty ${amount}. Termin: ${until}.`
        : until === ""
          ? `Pozostało do zapłaty ${amount}. Zapłać na miejscu, w dniu wizyty.`
          : `Pozostało do zapłaty ${amount}. Termin: ${until}. Zapłać na miejscu, nie na tej stronie.`
    ),
    balance_overdue: standingMessage("Rezerwacja jest potwierdzona", ({ amount, online, until }) =>
      online
        ? `Pozostało do zapłaty ${amount}. Termin minął: ${until}. Zapłać teraz.`
        : `Pozostało do zapłaty ${amount}. Termin minął: ${until}. Zapłać na miejscu.`
    ),
    balance_processing: standingMessage(
      "Rezerwacja jest potwierdzona",
      ({ amount }) => `Twoja płatność (${amount}) jest w toku. Nie musisz nic robić.`
    ),
    confirmed_under_review: standingMessage(
      "Rezerwacja jest potwierdzona",
      ({ in_question }) =>
        `Dotarła płatność ${in_question}, która nie jest tą, o którą prosiliśmy; ktoś się tym zajmuje. Nie płać ponownie.`
    ),
    over: standingMessage("Wizyta już się odbyła", ({ amount }) =>
      amount === ""
        ? "Dziękujemy za wizytę."
        : `Dziękujemy za wizytę. Pozostało do zapłaty ${amount}: zapytaj w sali zabaw.`
    ),
    did_not_come: standingMessage("Wizyta się nie odbyła", ({ amount }) =>
      amount === ""
        ? "Sala zabaw odnotowała, że nikt nie przyszedł. Jeśli to pomyłka, skontaktuj się z nią."
        : `Sala zabaw odnotowała, że nikt nie przyszedł. Pozostało do zapłaty ${amount}. Jeśli to pomyłka, skontaktuj się z nią.`
    ),
    released: standingMessage("Miejsca zostały zwolnione", ({ comes_back, in_question, paid, paid_back }) => {
      const lead = "Reszta nie została zapłacona na czas, dlatego zgodnie z warunkami rezerwacji miejsca są znów wolne."
      if (in_question !== "")
        return `${lead} Dotarła płatność ${in_question}, która nie jest tą, o którą prosiliśmy; ktoś się tym zajmuje.`
      if (comes_back !== "") return `${lead} Zwracamy Ci ${comes_back}.`
      if (paid_back !== "") return `${lead} Zwrócono ${paid_back}.`
      return paid === "" ? lead : `${lead} Zapłacona kwota ${paid} nie podlega zwrotowi.`
    }),
    expired: standingMessage("Rezerwacja wygasła", ({ sent_back }) =>
      sent_back === ""
        ? "Nie została opłacona na czas, a miejsca są znów wolne. Nic nie pobraliśmy."
        : "Nie została opłacona na czas, a miejsca są znów wolne."
    ),
    expired_under_review: standingMessage(
      "Rezerwacja wygasła",
      ({ in_question }) =>
        `Dotarła płatność ${in_question}, która nie jest tą, o którą prosiliśmy; ktoś się tym zajmuje. Potwierdzi rezerwację, jeśli miejsca są nadal wolne, albo do Ciebie wróci.`
    ),
    expired_processing: standingMessage(
      "Rezerwacja wygasła",
      "Płatność przyszła za późno i jest jeszcze przetwarzana. Gdy dotrze, potwierdzi rezerwację, jeśli miejsca będą wolne; w przeciwnym razie ją zwrócimy."
    ),
    expired_going_back: standingMessage("Rezerwacja wygasła", ({ comes_back }) =>
      comes_back === ""
        ? "Płatność dotarła, gdy miejsca były już zajęte. Zwracamy ją."
        : `Płatność dotarła, gdy miejsca były już zajęte. Zwracamy Ci ${comes_back}.`
    ),
    expired_paid_back: standingMessage(
      "Rezerwacja wygasła",
      ({ paid_back }) => `Płatność dotarła, gdy miejsca były już zajęte. Zwrócono ${paid_back}.`
    ),
    cancelled: standingMessage("Rezerwacja jest anulowana", ({ sent_back }) =>
      sent_back === "" ? "Nic nie zapłacono i nie ma nic do zapłaty." : "Nie ma nic do zapłaty."
    ),
    cancelled_kept: standingMessage(
      "Rezerwacja jest anulowana",
      ({ paid }) => `Zgodnie z warunkami rezerwacji zapłacona kwota ${paid} nie podlega zwrotowi.`
    ),
    cancelled_under_review: standingMessage(
      "Rezerwacja jest anulowana",
      ({ in_question }) =>
        `Dotarła płatność ${in_question}, która nie jest tą, o którą prosiliśmy. Ktoś się tym zajmuje i pieniądze do Ciebie wrócą.`
    ),
    cancelled_processing: standingMessage(
      "Rezerwacja jest anulowana",
      "Jedna płatność jest jeszcze przetwarzana. Gdy dotrze, zwrócimy ją."
    ),
    cancelled_going_back: standingMessage("Rezerwacja jest anulowana", ({ comes_back }) =>
      comes_back === "" ? "Pieniądze do Ciebie wrócą." : `Zwracamy Ci ${comes_back}.`
    ),
    cancelled_paid_back: standingMessage("Rezerwacja jest anulowana", ({ paid_back }) => `Zwrócono ${paid_back}.`)
  },
  afterPaying: {
    arrived: (amount) => `Otrzymaliśmy Twoją płatność: ${amount}.`,
    waiting: {
      title: "Czekamy na Twoją płatność",
      lead: "Operator płatności nie przekazał nam jeszcze żadnej płatności. Zwykle trwa to kilka sekund."
    },
    looksByItself: "Ta strona odświeża się automatycznie.",
    onItsWay: (amount) => `Płatność na kwotę ${amount} została rozpoczęta, ale pieniądze jeszcze nie dotarły.`,
    notPaid: "Nie zapłacono. Nic nie pobraliśmy.",
    failed: "Płatność się nie powiodła. Nic nie pobraliśmy.",
    closed: "Strona płatności jest zamknięta i nic nie pobraliśmy.",
    late: "Poproś asystenta o nową rezerwację. Jeśli płatność jeszcze dotrze, potwierdzi rezerwację, o ile miejsca będą wolne; w przeciwnym razie ją zwrócimy.",
    notNeeded: (amount) =>
      `Twoja płatność (${amount}) dotarła, gdy ta kwota była już zapłacona albo rezerwacja się zmieniła. Nie liczy się, a rezerwacja pozostaje bez zmian.`,
    wentBack: "Została zwrócona tą samą metodą płatności.",
    underReview: (amount) =>
      `Twoja płatność ${amount} dotarła i nie jest tą, o którą prosiliśmy. Ktoś się tym zajmuje, a wynik będzie widać na stronie rezerwacji. Nie płać ponownie.`,
    payAgain: "Przejdź do strony płatności",
    linkRenewed:
      "Od otwarcia strony płatności zmienił się adres strony rezerwacji. Zapytaj o niego asystenta albo w sali zabaw.",
    linkGiven: "Stronę rezerwacji otwiera link otrzymany przy rezerwacji.",
    unavailable: {
      title: "Nie możemy teraz tego sprawdzić",
      lead: "Twoja płatność jest bezpieczna u operatora płatności; nie udało się zapytać o jej stan."
    },
    unknown: {
      title: "Powrót ze strony płatności",
      lead: "Pod tym adresem nie ma rezerwacji.",
      more: "Zapytaj asystenta o stan rezerwacji: widzi on, czy płatność dotarła."
    },
    closing: "Możesz zamknąć tę stronę i wrócić do asystenta."
  }
}
