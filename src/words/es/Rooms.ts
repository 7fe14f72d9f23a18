/** Messages of the pages that show playrooms to people without an assistant, in Spanish. */
import type { Rooms } from "../en/Rooms.ts"

export const rooms: Rooms = {
  rooms: {
    title: "Salas de juegos",
    lead: "Vea aquí salas, precios, horarios y condiciones. Su asistente ve qué horas están libres y reserva.",
    titleIn: (city) => `Salas de juegos: ${city}`,
    all: "Todas las salas de juegos",
    cities: "Ciudades",
    city: "Ciudad",
    find: "Buscar",
    noneIn: (city) => `Aquí no hay ninguna sala de juegos para «${city}».`,
    none: "Por el momento no hay aquí ninguna sala de juegos.",
    next: "Más salas de juegos",
    from: (amount, party) => `desde ${amount} para ${party}`,
    withoutAdults: "sin adultos",
    lowest: (amount) => `desde ${amount}`,
    upTo: (party) => `hasta ${party}`,
    ages: (from, to) => (from === to ? `${from} años` : `de ${from} a ${to} años`),
    modes: { exclusive: "Toda la sala para ustedes", shared: "Juego libre con otras familias" },
    packages: "Lo que puede reservar",
    priceNote:
      "El precio depende del día, de la hora y de su grupo. Su asistente se lo dice con exactitud antes de que reserve.",
    varies: "Algunos de estos precios varían según la hora o el paquete.",
    hours: "Horario de apertura",
    quiet: "Horas tranquilas",
    hoursDiffer: "Algunos días el horario es distinto.",
    closures: "Cerrado estos días",
    amenities: "Qué hay",
    accessibility: "Accesibilidad",
    photos: "Fotos",
    runBy: "A cargo de",
    ask: "Pregunte a su asistente",
    askHow: "Copie este texto, cambie lo que en su caso sea distinto y envíeselo a su asistente:",
    request: (room, city, id) =>
      `Quiero ir a la sala de juegos «${room}» en ${city} con 8 niños el próximo sábado. ¿Qué horas están libres y cuánto cuesta cada una? Usa Playroom booking; el identificador de la sala es ${id}.`,
    connect: "Si todavía no puede reservar aquí, añádale esta dirección como conector:",
    connectHow: "Cómo conectar su asistente",
    terms: "Pago y cancelación",
    payAll: "Al reservar se paga todo.",
    payLater: "Al reservar no se paga nada.",
    backOfRest: "Lo que se devuelve del resto si cancela",
    until: (duration) => `como muy tarde ${duration} antes de la visita`,
    untilStart: "hasta que empiece la visita",
    back: (until, share) => `${until}: ${share}`,
    afterwards: (share) => `después: ${share}`,
    headcount: (until) => `El número de niños se puede cambiar ${until}.`,
    growsOnly: "El grupo puede crecer, pero no reducirse.",
    move: (until) => `Cambio de fecha u hora gratuito ${until}.`,
    released: (duration) =>
      `Si el resto sigue sin pagarse ${duration} después de su vencimiento, las plazas quedan libres.`,
    missing: {
      title: "Esta sala de juegos no figura aquí",
      lead: "Por el momento no admite reservas aquí, o la dirección no es correcta.",
      more: "Vea qué salas hay:"
    }
  }
}
