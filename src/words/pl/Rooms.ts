/** Messages of the pages that show playrooms to people without an assistant, in Polish. */
import type { Rooms } from "../en/Rooms.ts"

export const rooms: Rooms = {
  rooms: {
    title: "Sale zabaw",
    lead: "Obejrzyj tu sale, ceny, godziny i warunki. Asystent widzi, które terminy są wolne, i rezerwuje.",
    titleIn: (city) => `Sale zabaw: ${city}`,
    all: "Wszystkie sale zabaw",
    cities: "Miasta",
    city: "Miasto",
    find: "Szukaj",
    noneIn: (city) => `Nie ma tu żadnej sali zabaw dla hasła „${city}”.`,
    none: "Obecnie nie ma tu żadnej sali zabaw.",
    next: "Więcej sal zabaw",
    from: (amount, party) => `od ${amount} (${party})`,
    withoutAdults: "bez dorosłych",
    lowest: (amount) => `od ${amount}`,
    upTo: (party) => `najwięcej ${party}`,
    ages: (from, to) => (from === to ? `wiek: ${from}` : `wiek: od ${from} do ${to} lat`),
    modes: { exclusive: "Cała sala tylko dla Ciebie", shared: "Wspólna zabawa z innymi rodzinami" },
    packages: "Co możesz zarezerwować",
    priceNote: "Cena zależy od dnia, godziny i grupy. Asystent poda ją dokładnie, zanim zarezerwujesz.",
    varies: "Niektóre z tych cen zależą od pory lub pakietu.",
    hours: "Godziny otwarcia",
    quiet: "Ciche godziny",
    hoursDiffer: "W niektóre dni godziny są inne.",
    closures: "Zamknięte w te dni",
    amenities: "Wyposażenie",
    accessibility: "Dostępność",
    photos: "Zdjęcia",
    runBy: "Prowadzi:",
    ask: "Zapytaj swojego asystenta",
    askHow: "Skopiuj ten tekst, zmień to, co u Ciebie jest inne, i wyślij asystentowi:",
    request: (room, city, id) =>
      `Chcę w najbliższą sobotę pójść z 8 dzieci do sali zabaw „${room}” (${city}). Które terminy są wolne i ile kosztuje każdy? Użyj Playroom booking; identyfikator sali to ${id}.`,
    connect: "Jeśli nie może jeszcze tu rezerwować, dodaj mu ten adres jako konektor:",
    connectHow: "Jak połączyć asystenta",
    terms: "Płatność i anulowanie",
    payAll: "Całość płaci się przy rezerwacji.",
    payLater: "Przy rezerwacji nic się nie płaci.",
    backOfRest: "Zwrot z pozostałej kwoty w razie anulowania",
    until: (duration) => `najpóźniej ${duration} przed wizytą`,
    untilStart: "do rozpoczęcia wizyty",
    back: (until, share) => `${until}: ${share}`,
    afterwards: (share) => `później: ${share}`,
    headcount: (until) => `Liczbę dzieci można zmienić ${until}.`,
    growsOnly: "Grupa może się powiększyć, ale nie zmniejszyć.",
    move: (until) => `Bezpłatna zmiana terminu możliwa ${until}.`,
    released: (duration) =>
      `Jeśli reszta nie zostanie zapłacona w tym czasie od terminu płatności (${duration}), miejsca zostaną zwolnione.`,
    missing: {
      title: "Tej sali zabaw nie ma na liście",
      lead: "Obecnie nie przyjmuje tu rezerwacji albo adres jest nieprawidłowy.",
      more: "Zobacz, jakie są sale:"
    }
  }
}
