/** Messages of the desk, in Polish. */
import type { Desk } from "../en/Desk.ts"

export const desk: Desk = {
  desk: {
    title: "Recepcja",
    signInTitle: "Logowanie do recepcji",
    signInLead: "Kluczem dostępu z tego urządzenia lub z telefonu.",
    signIn: "Zaloguj się kluczem dostępu",
    needsScript: "Klucze dostępu wymagają JavaScriptu, a w tej przeglądarce jest on wyłączony.",
    otherDevice: "Użyj innego urządzenia",
    passkeyFaults: {
      insecure:
        "Ta strona przyszła bez szyfrowania, a przeglądarki używają kluczy dostępu tylko na stronach szyfrowanych. Dalej tutaj:",
      elsewhere: "Klucze dostępu działają tylko pod własnym adresem recepcji, a ta strona ma inny. Dalej tutaj:",
      noBrowser:
        "Ta przeglądarka nie obsługuje kluczy dostępu. Okna wewnątrz innych aplikacji często ich nie mają: otwórz ten adres w Safari, Chrome, Edge lub Firefoksie.",
      notUsed:
        "Nie użyto klucza dostępu: okno zamknięto, trwało to zbyt długo albo nie ma tu klucza do tej recepcji. Spróbuj ponownie; jeśli Twój klucz jest w telefonie lub na kluczu bezpieczeństwa, wybierz „Użyj innego urządzenia”.",
      notMade:
        "Nie utworzono klucza dostępu: okno zamknięto albo trwało to zbyt długo. Spróbuj ponownie: ten link nadal działa.",
      notHere:
        "Na tym urządzeniu lub kluczu bezpieczeństwa nie ma klucza dostępu do tej recepcji. Użyj tego, na którym go utworzono.",
      already: "Na tym urządzeniu masz już klucz dostępu, który nadal działa. Ten link pozostaje niewykorzystany.",
      noPin:
        "Ten klucz bezpieczeństwa lub to urządzenie nie sprawdziło, kim jesteś. Ustaw w jego ustawieniach PIN, odcisk palca lub blokadę ekranu i spróbuj ponownie albo użyj innego urządzenia.",
      unable:
        "Ta przeglądarka lub to urządzenie nie potrafi tego z kluczami dostępu. Zaktualizuj je albo użyj innego urządzenia.",
      device:
        "Urządzenie lub przeglądarka zgłosiły błąd. Spróbuj ponownie, uruchom je na nowo albo użyj innego urządzenia.",
      offline: "Nie udało się połączyć z usługą. Sprawdź połączenie i spróbuj ponownie.",
      late: "Ta strona była otwarta zbyt długo albo już ją wysłano. Spróbuj ponownie.",
      unknown:
        "Ta recepcja nie zna tego klucza dostępu. Jeśli wcześniej działał, został tu unieważniony: poproś kierownika o nowy link.",
      copied:
        "Ten klucz dostępu odrzucono: użyto go mniej razy, niż tu policzono, jakby go skopiowano. Poproś kierownika, aby go unieważnił i dał Ci nowy link.",
      unreadable:
        "To, co wysłała przeglądarka, nie jest odpowiedzią klucza dostępu do tej recepcji. Spróbuj ponownie albo użyj innej przeglądarki."
    },
    inviteAgain:
      "Jeśli nie masz już klucza dostępu, poproś kierownika recepcji: z nowym linkiem zalogujesz się w kilka minut.",
    invitationTitle: (operator) => `Recepcja: ${operator}`,
    invitationLead: (name) =>
      `Dzień dobry, ${name}! Utwórz klucz dostępu na tym urządzeniu: odtąd będzie służył do logowania. Ten link działa tylko raz.`,
    makePasskey: "Utwórz klucz dostępu",
    signedInAs: (name) => `Zalogowano: ${name}`,
    signOut: "Wyloguj się",
    search: "Nazwisko, e-mail, numer rezerwacji lub telefon",
    find: "Szukaj",
    foundTitle: (words) => `Szukane: ${words}`,
    found: { one: "# rezerwacja", few: "# rezerwacje", many: "# rezerwacji", other: "# rezerwacji" },
    nothingFound: "Nie ma takiej rezerwacji.",
    moreFound: "Jest ich więcej. Dodaj słowo albo podaj numer rezerwacji.",
    searchedSince: (date) => `Przeszukano rezerwacje od ${date}.`,
    searchBefore: "Szukaj we wcześniejszych",
    dayToShow: "Dzień",
    showDay: "Pokaż",
    toDay: "Wróć do dnia",
    now: (time) => `Teraz: ${time}`,
    byHour: "Dzieci w kolejnych godzinach",
    visits: "Wizyty",
    toCollect: "Do zapłaty tego dnia",
    room: "Sala",
    contact: "Kontakt",
    marks: { arrived: "Są na miejscu", no_show: "Nie przyszli" },
    undo: (mark) => `Cofnij „${mark}”`,
    notMarked: "W międzyczasie zapisano coś innego albo teraz nie można tego zapisać. Nic nie zmieniono.",
    managersTitle: "To może zrobić tylko kierownik",
    managersOnly: "Zwróć się do kierownika swojej sali zabaw. Nic nie zmieniono.",
    toBooking: "Wróć do rezerwacji",
    goOn: "Dalej",
    moreBookings: "Kolejne rezerwacje",
    toList: "Wróć do listy",
    changed: "Nic nie zrobiono: coś się zmieniło od otwarcia strony. Oto aktualny stan.",
    since: "Od otwarcia strony:",
    byFamily: "przez rodzinę",
    amountIn: (currency) => `Kwota w ${currency}`,
    amountWrong: (example) => `Podaj kwotę, na przykład ${example}.`,
    amountSteps: (step) => `W tej walucie możliwe są tylko wielokrotności kwoty ${step}.`,
    reason: "Powód",
    reasonHint: "Zostaje w historii rezerwacji, którą rodzina może przeczytać.",
    reasonNeeded: "Podaj powód: warunki tego nie przewidują.",
    partyErrors: {
      children: (least, most) => `Pakiet jest dla od ${least} do ${most} dzieci.`,
      ageRange: (from, to) => `Ta sala jest dla dzieci w wieku od ${from} do ${to} lat.`
    },
    book: {
      code: "Kod, jeśli rodzina go ma",
      noCode: "Ten kod nie obowiązuje przy tej wizycie: popraw go albo zostaw pole puste.",
      title: "Nowa rezerwacja",
      choose: "Wybierz salę i to, co ma być zarezerwowane.",
      nothing: "Teraz nie można nic zarezerwować w Waszych salach.",
      modes: { exclusive: "Cała sala", shared: "Miejsca w czasie otwartej zabawy" },
      times: "Pokaż wolne terminy",
      chooseDay: "Wybierz dzień",
      noneIn: (month) => `Dla tej grupy nic nie jest wolne: ${month}.`,
      noneOn: (day) => `Dla tej grupy nic nie jest wolne: ${day}.`,
      another: "Zarezerwuj coś innego",
      who: "Dla kogo jest rezerwacja?",
      emailHint:
        "Tam piszemy, co jest potwierdzone, zmienione lub do zapłaty, i po nim rodzina odnajduje rezerwację. Może pozostać puste, jeśli płaci się tu i teraz.",
      wrong: "Nic nie zarezerwowano. Sprawdź zaznaczone pola.",
      check: "Zarezerwować?",
      confirm: "Zarezerwuj",
      edit: "Zmień coś",
      free: "Teraz nie trzeba nic płacić: rezerwacja jest od razu potwierdzona.",
      how: "Jak jest opłacana?",
      which: "Podaj, jak jest opłacana.",
      link: "Online, na stronie rodziny",
      held: (until) =>
        `Przy płatności online miejsca są wstępnie zajęte do: ${until}, a dłużej, gdy ktoś właśnie płaci. Przy płatności na miejscu rezerwacja jest od razu potwierdzona.`,
      howMuch: "Jeśli na miejscu: ile jest płacone teraz?",
      due: (amount) => `To, co trzeba zapłacić teraz: ${amount}`,
      all: (amount) => `Całość: ${amount}`,
      tooMany:
        "Nic nie zarezerwowano: jest zbyt wiele nieopłaconych rezerwacji z tym adresem e-mail lub zrobionych w tej recepcji."
    },
    walkIn: {
      title: "Bez rezerwacji",
      name: "Bez rezerwacji",
      lead: "Ile dzieci przychodzi? Cena jest pokazywana przed sprzedażą.",
      begun: "Już trwa",
      none: "Tu i teraz nie można nic sprzedać.",
      sold: (what: string) => `Sprzedano: ${what}.`
    },
    family: {
      title: "Link dla rodziny",
      lead: "Przeczytaj go na głos lub skopiuj. Kto go ma, może zapłacić za rezerwację, zmienić ją i odwołać.",
      mailed: (email) => `Przy rezerwacji został też wysłany na adres ${email}.`,
      send: (email) => `Wyślij na adres ${email}`,
      sent: (email) => `Jest w drodze na adres ${email}.`
    },
    pay: {
      title: "Zapisz płatność",
      way: "Jak zapłacono?",
      whichWay: "Zaznacz, jak zapłacono.",
      confirm: "Zapisz płatność",
      left: "Potem pozostanie do zapłaty",
      confirms: "Tym samym rezerwacja jest potwierdzona.",
      pages: "Strony, na których można było zapłacić to samo online, zostają zamknięte.",
      nothing: "Za tę rezerwację nie można teraz nic zapłacić.",
      more: (owed) => `Do zapłaty jest najwyżej ${owed}.`,
      less: (due) => `Miejsca są tylko wstępnie zarezerwowane: teraz trzeba zapłacić co najmniej ${due}.`,
      processing: "Płatność online jest w toku. Poczekaj, aż dotrze albo się nie powiedzie."
    },
    voucher: {
      online: "Online",
      title: "Bony podarunkowe",
      pay: "Zapłać bonem",
      rest: "Jak zostanie zapłacona reszta?",
      later: "Nie teraz",
      less: (due) =>
        `Miejsca są tylko wstępnie zajęte, a ${due} jest jeszcze do zapłaty teraz: wybierz, jak to zapłacono.`,
      sell: "Sprzedaj bon",
      lead: "Pieniądze za bon to zobowiązanie. Przychodem stają się, gdy ktoś zapłaci bonem za rezerwację.",
      until: "Ostatni dzień ważności",
      untilHint: "Zostaw puste, jeśli bon nie traci ważności.",
      untilWrong: "Wybierz przyszły dzień, najdalej za dziesięć lat.",
      value: "Wartość",
      sold: "Sprzedano",
      look: "Sprawdź bon",
      show: "Pokaż",
      print: "Otwórz, aby wydrukować lub skopiować adres",
      latest: "Ostatnio sprzedane",
      none: "Nie sprzedano jeszcze żadnego bonu.",
      undo: "Cofnij sprzedaż: to była pomyłka",
      undone: "Sprzedaż cofnięto.",
      kept: "Sprzedaży nie można cofnąć: bonem już płacono albo stracił ważność."
    },
    undoPay: {
      title: "Cofnij omyłkowo zapisaną płatność",
      confirm: "Cofnij płatność",
      which: "Którą płatność zapisano omyłkowo?",
      nothing:
        "Nie można tu cofnąć żadnej płatności na miejscu: coś już zwrócono, rezerwacja jest zakończona albo wizyta odbyła się dawno.",
      noRefund:
        "Niczego się nie oddaje: tych pieniędzy nie zapłacono za tę rezerwację. Rezerwacja pozostaje potwierdzona.",
      books: "W rozliczeniu miesiąca płatność zostaje pod swoją datą, a dziś jest odejmowana."
    },
    returned: {
      todo: (amount) => `Do oddania na miejscu: ${amount}`,
      how: "Jak oddano?",
      ways: { cash: "gotówką", card: "na kartę", transfer: "przelewem", voucher: "na bon" },
      done: "Oddano"
    },
    unclear:
      "Jednej płatności za tę rezerwację nie udało się zaksięgować jak zwykle. Jeśli coś się tu nie zgadza, zapytaj osobę, która prowadzi dla Ciebie tę usługę.",
    back: {
      title: "Zwróć kwotę",
      confirm: "Zwróć",
      nothing: "Z wpłat nic już nie zostało.",
      tooMuch: (left) => `Z wpłat zostało najwyżej ${left}.`,
      byHand: (amount) =>
        `${amount} nie zapłacono online: oddaj je na miejscu. To, co zapłacono bonem, samo wraca na bon.`,
      before: (amount) => `${amount} już zwrócono i jest to uwzględnione.`,
      disputed: (amount) => `Reklamowana w banku kwota: ${amount}. Przed decyzją banku nic nie zostanie zwrócone.`,
      blocked: (amount) =>
        `Kwoty ${amount} nie można zwrócić, dopóki konto u operatora płatności nie zacznie znowu przyjmować płatności. Potem zwrot nastąpi sam.`,
      notAsked:
        "Nie udało się zapytać operatora płatności, co już zwrócono. Zapytamy przed zwrotem, który może być wtedy mniejszy.",
      stays: "Sama rezerwacja pozostaje bez zmian."
    },
    cancel: {
      title: "Anuluj rezerwację",
      confirm: "Anuluj teraz",
      refund: "Ile zwrócić?",
      byTerms: "Tyle, ile mówią warunki",
      full: "Wszystko, co zostało z wpłat",
      none: "Nic",
      part: "Tę kwotę:",
      ended: "Ta rezerwacja już się zakończyła.",
      places: "Miejsca są od razu wolne dla innych. Tego nie można cofnąć."
    },
    change: {
      title: "Zmień grupę",
      confirm: "Zmień rezerwację",
      same: "Tak już jest.",
      notConfirmed: "Rezerwacja nie jest jeszcze potwierdzona: najpierw trzeba zapłacić to, co należne.",
      begun: "Wizyta już się zaczęła.",
      payment: "Płatność online jest otwarta albo w toku. Spróbuj, gdy dotrze, albo za pół godziny.",
      refund: "Zwrot jest w drodze. Spróbuj, gdy dotrze.",
      reasonNeeded: "Warunki już na to nie pozwalają: podaj powód.",
      closed: "O tej porze jest zamknięte.",
      notSold: "Tak nie można zarezerwować: anuluj rezerwację i zrób nową.",
      taken: "Ten termin jest niedostępny.",
      nearest: (starts) => `Najbliższe wolne: ${starts}.`
    },
    move: {
      title: "Zmień termin",
      confirm: "Zmień termin",
      date: "Nowy dzień",
      time: "Nowa godzina",
      when: "Podaj dzień i godzinę.",
      room: "Sala i pakiet",
      none: "Nie można przenieść do tej sali: wybierz jeszcze raz.",
      without: (extras) => `Tam tak niedostępne, więc odpada: ${extras}.`
    },
    closing: {
      title: "Zablokuj termin",
      lead: "Od teraz nic więcej nie będzie można wtedy zarezerwować. To, co już zarezerwowane, pozostaje zarezerwowane.",
      outOfOrder: "Nieczynne",
      all: "Wszystkie sale",
      from: "Pierwszy dzień",
      to: "Ostatni dzień",
      toHint: "Puste: ten sam dzień.",
      starts: "Od",
      ends: "Do",
      timesHint: "Na całe dni zostaw obie godziny puste.",
      managersDays: "Całe dni zamyka tylko kierownik: podaj obie godziny.",
      reasonHint: "W kilku słowach. Rodziny mogą go przeczytać.",
      wrong: "Jeszcze nic nie zablokowano: sprawdź zaznaczone pola.",
      timesWrong: "Podaj dzień oraz obie godziny albo żadnej. Koniec musi być po początku, najwyżej dwa lata później.",
      reasonWrong: "Podaj powód w kilku słowach.",
      problems: {
        no_playroom: "Nie ma takiej sali.",
        no_stock: "Nie ma takiego dodatku albo nie w tej liczbie.",
        too_many_playrooms: "To za dużo sal naraz: wybierz jedną.",
        over: "Ten czas już minął.",
        no_time: "Tej godziny nie ma z powodu zmiany czasu.",
        too_many: "W tej sali zablokowano już zbyt wiele terminów: otwórz te, które nie są już potrzebne."
      },
      checkTitle: "Zablokować ten termin?",
      inside: {
        one: "W tym terminie jest # rezerwacja.",
        few: "W tym terminie są # rezerwacje.",
        many: "W tym terminie jest # rezerwacji.",
        other: "W tym terminie jest # rezerwacji."
      },
      nobody: "W tym terminie nic nie jest zarezerwowane.",
      stays: "Rezerwacje pozostają i odbędą się, jeśli ich nie przeniesiesz ani nie odwołasz.",
      list: "Potem znajdziesz je na stronie „Do decyzji”, aby je przenieść lub odwołać, pojedynczo albo wszystkie naraz.",
      more: (n: number) => `Pozostałe: ${n}.`,
      confirm: "Zablokuj teraz",
      upcoming: "Zamknięte od teraz",
      furtherTimes: "Więcej zamkniętych terminów",
      by: (name: string) => `zamyka: ${name}`,
      ofFile: "według katalogu",
      reopen: "Otwórz ponownie",
      reopenTitle: "Otworzyć ten termin ponownie?",
      reopenLead: "Od razu znów będzie można go zarezerwować, chyba że zamyka go coś innego."
    },
    closed: {
      title: "Do decyzji",
      lead: "Te rezerwacje przypadają, gdy sala jest zamknięta, albo obejmują więcej miejsc lub dodatków, niż teraz jest. Odbędą się, jeśli nie zostaną przeniesione ani odwołane.",
      none: "Nie ma nic do decyzji: żadna rezerwacja nie przypada w czasie zamknięcia ani nie obejmuje więcej, niż jest.",
      who: "Nazwisko",
      because: "Powód",
      only: (of, units) => `${of}: teraz tylko ${units}`,
      what: "Co dalej",
      cancel: "Odwołaj, wszystko do zwrotu",
      keep: "Zostaw",
      write: "Zostaw i napisz do rodziny",
      writeAll: {
        one: "Napisz do tej rodziny",
        few: "Napisz do tych # rodzin",
        many: "Napisz do tych # rodzin",
        other: "Napisz do tych # rodzin"
      },
      words: "Twoja wiadomość",
      wordsHint: "Rodziny dostaną ją e-mailem, z linkiem do rezerwacji, tak jak ją tu napiszesz.",
      noWords: "Napisz, co rodziny mają wiedzieć.",
      notWritten: "nie można napisać: bez potwierdzenia, po wizycie lub bez adresu e-mail",
      giveBack: "Usuń dodatek i zwróć jego cenę",
      swapFor: "Zamień na inny dodatek",
      swapPays: "Zamień, a rodzina dopłaci różnicę",
      costsMore: (amount) =>
        `Ten dodatek kosztuje o ${amount} więcej. Wybierz inny albo to, że rodzina dopłaci różnicę.`,
      broken: (of, why) => `${of}, nieczynne: ${why}`,
      moveTo: "Przenieś na",
      money: "Pieniądze",
      twice: "Inne z tych rezerwacji zajmują salę lub dodatek w tym czasie: wybierz inny termin.",
      told: "Rodziny, których potwierdzona rezerwacja zostanie zmieniona lub odwołana, dostaną e-mail z informacją, co się zmieniło.",
      notTold: "E-maile nie są wysyłane: powiadom rodziny samodzielnie.",
      all: {
        one: "Odwołaj tę rezerwację",
        few: "Odwołaj wszystkie #",
        many: "Odwołaj wszystkie #",
        other: "Odwołaj wszystkie #"
      },
      planTitle: "Czy tak ma być?",
      nothingChosen: "Nic nie wybrano albo nie ma już o czym decydować.",
      cant: "teraz to niemożliwe",
      inAll: "Do zwrotu razem",
      byHand:
        "Co zapłacono na miejscu, oddaje się na miejscu, a co zapłacono bonem, wraca na bon: przy każdej rezerwacji będzie to zaznaczone.",
      confirm: {
        one: "Zrób to teraz z # rezerwacją",
        few: "Zrób to teraz z # rezerwacjami",
        many: "Zrób to teraz z # rezerwacjami",
        other: "Zrób to teraz z # rezerwacjami"
      },
      changed: "Nic nie zrobiono: poprzednia strona pokazywała co innego.",
      doneTitle: "Gotowe",
      nothingDone: "Nic nie zrobiono.",
      done: {
        cancelled: {
          one: "Odwołano # rezerwację.",
          few: "Odwołano # rezerwacje.",
          many: "Odwołano # rezerwacji.",
          other: "Odwołano # rezerwacji."
        },
        moved: {
          one: "Przeniesiono # rezerwację.",
          few: "Przeniesiono # rezerwacje.",
          many: "Przeniesiono # rezerwacji.",
          other: "Przeniesiono # rezerwacji."
        },
        givenBack: {
          one: "Cena dodatku wraca przy # rezerwacji.",
          few: "Cena dodatków wraca przy # rezerwacjach.",
          many: "Cena dodatków wraca przy # rezerwacjach.",
          other: "Cena dodatków wraca przy # rezerwacjach."
        },
        swapped: {
          one: "# rezerwacja ma inny dodatek.",
          few: "# rezerwacje mają inne dodatki.",
          many: "# rezerwacji ma inne dodatki.",
          other: "# rezerwacji ma inne dodatki."
        },
        written: {
          one: "Napisano do # rodziny; rezerwacja zostaje.",
          few: "Napisano do # rodzin; rezerwacje zostają.",
          many: "Napisano do # rodzin; rezerwacje zostają.",
          other: "Napisano do # rodzin; rezerwacje zostają."
        }
      },
      gone: {
        one: "Co do # innej nie było już nic do decyzji i pozostała bez zmian.",
        few: "Co do # innych nie było już nic do decyzji i pozostały bez zmian.",
        many: "Co do # innych nie było już nic do decyzji i pozostały bez zmian.",
        other: "Co do # innych nie było już nic do decyzji i pozostały bez zmian."
      },
      left: "Te zmieniły się od poprzedniej strony albo nie udało się tego zrobić. Pozostały bez zmian:",
      notAll: "To jeszcze nie wszystkie. „Dalej” zajmie się pozostałymi."
    },
    people: {
      title: "Kto tu pracuje",
      lead: "Te osoby logują się w tej recepcji.",
      name: "Imię i nazwisko",
      you: "(Ty)",
      nameHint: "Tak historia rezerwacji będzie nazywać tę osobę.",
      nameWrong: "Podaj imię i nazwisko, najwyżej 80 znaków.",
      role: "Rola",
      roles: { desk: "Recepcja", manager: "Kierownik" },
      roleMeans: {
        desk: "Bieżąca praca: wizyty, rezerwacje, płatności.",
        manager: "Także zamykanie dni, zwroty pieniędzy, rozliczenie miesiąca i to, kto tu pracuje."
      },
      passkeys: "Klucze dostępu",
      signedIn: "Ostatnie logowanie",
      invitedUntil: "Zaproszenie do",
      change: "Zmień",
      invite: {
        title: "Zaproś osobę",
        confirm: "Zaproś",
        wrong: "Nikogo nie zaproszono. Sprawdź zaznaczone pola.",
        taken: "Osoba o tej nazwie jest już na liście. Po kolejny klucz dostępu wybierz tam „Nowe zaproszenie”."
      },
      again: {
        title: "Nowe zaproszenie",
        lead: "Nowy link pozwala tej osobie utworzyć klucz dostępu i wejść.",
        works:
          "Link działa raz: przez 30 minut, jeśli ta osoba już tu była, w przeciwnym razie przez trzy dni. Wcześniejszy link traci ważność.",
        passkeys: {
          legend: "Dotychczasowe klucze dostępu",
          ends: {
            label: "Unieważnij od razu",
            means:
              "Urządzenie zgubiono, skradziono albo nie należy już do tej osoby. Zostanie ona też wszędzie wylogowana.",
            own: "Urządzenie zgubiono, skradziono albo nie należy już do Ciebie. Nastąpi też wylogowanie wszędzie poza tym miejscem."
          },
          stays: { label: "Działają dalej", means: "Ta osoba dostaje tylko kolejny, na przykład na nowym telefonie." }
        },
        withdraw: "Unieważnij otwarte zaproszenie",
        confirm: "Utwórz zaproszenie"
      },
      address: {
        title: (name) => `Zaproszenie: ${name}`,
        lead: (name) =>
          `Przekaż ten adres tylko tej osobie: ${name}. Kto pierwszy go otworzy, utworzy klucz dostępu i zaloguje się pod tym nazwiskiem.`,
        once: "Działa tylko raz i jest pokazywany tylko teraz."
      },
      newRole: {
        link: "Zmień rolę",
        title: (name) => `Nowa rola: ${name}`,
        lead: "Obowiązuje od razu, także tam, gdzie ta osoba jest zalogowana. Klucze dostępu i otwarte zaproszenie pozostają.",
        confirm: "Zmień",
        self: "Nie możesz zmienić własnej roli: musi to zrobić inny kierownik."
      },
      remove: {
        link: "Usuń",
        title: (name) => `Usunąć: ${name}?`,
        lead: "Ta osoba zostanie od razu wszędzie wylogowana i nie będzie mogła się zalogować, a otwarte zaproszenie straci ważność.",
        stays: "Historia nadal pokazuje, co ta osoba zrobiła. Aby wrócić, potrzebuje nowego zaproszenia.",
        confirm: "Usuń teraz",
        self: "Nie możesz usunąć samego siebie: musi to zrobić inny kierownik."
      }
    },
    month: {
      title: "Rozliczenie miesiąca",
      month: "Miesiąc",
      show: "Pokaż",
      before: "Poprzedni miesiąc",
      after: "Następny miesiąc",
      nothing: "W tym czasie nic nie zapłacono i nic nie zwrócono.",
      ofYear: { title: "Rozliczenie roku", show: "Cały rok", before: "Poprzedni rok", after: "Następny rok" },
      tooMany: "To za dużo wierszy na jeden plik: wybierz miesiąc albo poproś o niego tego, kto prowadzi tę usługę.",
      sums: {
        payment: "Zapłacono przez internet",
        refund: "Zwrócono przez internet",
        dispute: "Spory",
        fee: "Inne opłaty",
        other: "Spoza tych rezerwacji",
        platform_fee: "Opłaty platformy",
        provider_fee: "Opłaty operatora płatności",
        net: "Netto, przez internet",
        payout: "Wypłacono na konto",
        venue_payment: "Zapłacono na miejscu",
        venue_refund: "Oddano na miejscu",
        voucher_sold: "Sprzedane bony (do wykonania)",
        voucher_payment: "Zapłacono bonami",
        voucher_refund: "Zwrócono na bony",
        voucher_expired: "Bony wygasłe bez wykorzystania"
      },
      vouchersOwed: "Zobowiązania z bonów na koniec, albo teraz",
      taxes: "Według stawek podatku",
      rate: "Stawka",
      withTax: "Brutto",
      tax: "Podatek",
      withoutTax: "Netto",
      codes: "Kody rezerwacji zrobionych w tym czasie",
      code: "Kod",
      uses: "Rezerwacje",
      takenOff: "Rabat",
      own: "Według rezerwacji w tym systemie. Bez opłat i wypłat operatora płatności.",
      provider: "Według zapisów operatora płatności; płatności na miejscu według rezerwacji w tym systemie.",
      download: "Pobierz do arkusza (Excel)",
      downloadCsv: "Pobierz jako CSV",
      compare: "Z opłatami i wypłatami operatora płatności",
      agrees: "Wszystkie kwoty zgadzają się z zapisami operatora płatności.",
      differs: (lines) =>
        `Różnice wobec zapisów operatora płatności: ${lines}. Poproś prowadzącego ten serwis o ich sprawdzenie.`,
      away: "Operator płatności nie odpowiedział na czas. To dane według rezerwacji w tym systemie."
    },
    till: {
      title: "Kasa",
      drawer: "W szufladzie powinno być",
      drawerMeans: "Gotówka przyjęta minus gotówka zwrócona tego dnia, poza pogotowiem kasowym.",
      byWay: "Według sposobu zapłaty",
      byPerson: "Według osoby",
      way: "Jak",
      taken: "Przyjęto",
      back: "Zwrócono lub cofnięto",
      sum: "Razem",
      who: "Kto",
      none: (day: string) => `Na miejscu nic nie przyjęto ani nie zwrócono: ${day}.`
    },
    waits: {
      lead: { one: "# rodzina czeka.", few: "# rodziny czekają.", many: "# rodzin czeka.", other: "# rodziny czeka." },
      none: "Nikt nie czeka.",
      since: "Czeka od",
      remove: "Usuń z listy"
    },
    owed: {
      title: "Kto ile jest winien",
      lead: {
        one: "# rezerwacja nie jest jeszcze w całości opłacona.",
        few: "# rezerwacje nie są jeszcze w całości opłacone.",
        many: "# rezerwacji nie jest jeszcze w całości opłaconych.",
        other: "# rezerwacji nie jest jeszcze w całości opłaconych."
      },
      none: "Nikt nie jest nic winien.",
      who: "Nazwisko",
      amount: "Do zapłaty",
      due: "Termin",
      overdue: "po terminie",
      atVenue: "na miejscu",
      over: "wizyta już się odbyła",
      processing: "płatność jest w toku",
      sum: "Razem",
      fromStart: "Na początek listy"
    },
    history: "Historia",
    unusual: "Nietypowe, a zgodzić się możecie tylko wy:",
    exceptions: {
      ages: "Wiek, dla którego sala nie jest przeznaczona",
      party_too_small: "Mniej dzieci, niż przewiduje pakiet",
      party_too_large: "Więcej dzieci lub dorosłych, niż przewiduje pakiet",
      too_soon: "Później, niż przyjmujecie rezerwacje",
      too_far_ahead: "Wcześniej, niż przyjmujecie rezerwacje"
    },
    events: {
      exception: "Zrobiono wyjątek",
      held: "Wstępnie zarezerwowano",
      confirmed: "Potwierdzono",
      paid: "Zapłacono",
      balance_paid: "Zapłacono resztę",
      payment_failed: "Płatność nie powiodła się",
      paid_late: "Zapłacono po terminie",
      changed: "Zmieniono grupę",
      moved: "Przeniesiono",
      kept: "Wizyta się odbędzie",
      arrived: "Są na miejscu",
      arrived_undone: "Cofnięto „są na miejscu”",
      no_show: "Nie przyszli",
      no_show_undone: "Cofnięto „nie przyszli”",
      payment_in_question: "Płatność do wyjaśnienia",
      payment_taken: "Płatność przyjęta bez zmian",
      payment_sent_back: "Płatność odesłana",
      paid_at_venue: "Zapłacono na miejscu",
      paid_by_voucher: "Zapłacono bonem",
      payment_undone: "Płatność cofnięta",
      goodwill: "Przyznano zwrot kwoty",
      cancelled: "Anulowano",
      hold_expired: "Nie zapłacono na czas",
      balance_lapsed: "Nie zapłacono reszty na czas",
      refunded: "Zwrócono pieniądze",
      refund_failed: "Zwrot nie powiódł się",
      disputed: "Płatność reklamowana w banku",
      answered: "Odpowiedziano na pytania",
      link_sent: "Wysłano link",
      written_to: "Wysłano wiadomość",
      link_renewed: "Odnowiono link",
      clock_followed: "Zachowano godzinę",
      person_erased: "Usunięto nazwisko"
    }
  }
}
