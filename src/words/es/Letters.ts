/** Mensajes de las cartas a las familias y de las páginas que las acompañan, en español. */
import type { Letters } from "../en/Letters.ts"

export const letters: Letters = {
  letters: {
    changed: {
      heading: "Su reserva ha cambiado",
      lead: "Así está ahora."
    },
    before: "Antes",
    now: "Ahora",
    balanceDue: {
      heading: "Pronto vence un pago",
      lead: ({ amount, online, until }) =>
        online
          ? `Faltan por pagar ${amount}, a más tardar el ${until}. Puede pagar en la página de su reserva.`
          : `Faltan por pagar ${amount}, a más tardar el ${until}, en el local.`
    },
    visit: { heading: "Se acerca su visita", lead: (when: string) => `Le esperamos: ${when}.` },
    refundFailed: {
      heading: "Una devolución no ha llegado",
      lead: (amount: string) =>
        `No se le han podido devolver ${amount}: su banco o su tarjeta no aceptó el abono. El dinero sigue siendo suyo. Pregunte al local cómo recibirlo.`
    },
    sentBack: "Se le devuelve un pago",
    link: {
      heading: "El enlace de su reserva",
      lead: "Alguien, probablemente usted, ha pedido el enlace de la página de esta reserva.",
      unasked: "Si no ha sido usted, no tiene que hacer nada: el enlace solo se ha enviado a esta dirección."
    },
    booked: { heading: "Su reserva", lead: "El local ha hecho esta reserva para usted." },
    readdressed: {
      heading: "Se ha corregido el correo electrónico de una reserva",
      lead: "A partir de ahora, los mensajes sobre esta reserva se envían a otra dirección. Los enlaces de mensajes anteriores ya no abren nada.",
      unasked: "¿La reserva es suya y no quería este cambio? Avise al local."
    },
    fromVenue: { heading: "Un mensaje del local", lead: "Mensaje del local sobre su reserva:" },
    placesBack: {
      heading: "Han quedado plazas libres",
      lead: "Está en la lista de espera: ahora estas plazas están reservadas para usted."
    },
    placesLapse:
      "¿Ya no las quiere? No tiene que hacer nada: pasarán a la siguiente familia y usted saldrá de la lista.",
    openPage: "Abrir la página de su reserva",
    entry: "El evento de calendario adjunto lleva el lugar y la hora.",
    newEntry: "El evento de calendario adjunto sustituye al anterior.",
    entryRemoved:
      "El evento de calendario adjunto elimina el anterior. Si su calendario lo sigue mostrando, bórrelo allí.",
    why: (reference: string) => `Recibe este mensaje porque se dio esta dirección para la reserva ${reference}.`,
    secret: "Quien tenga el enlace de este mensaje puede ver y cambiar la reserva: no lo comparta.",
    stop: "Dejar de recibir recordatorios"
  },
  waiting: {
    title: "Lista de espera",
    lead: "Estas plazas están ocupadas. ¿Las quiere si vuelven a quedar libres?",
    how: (time) =>
      `Las plazas que quedan libres se reservan para una familia tras otra, ${time} para cada una. Un mensaje se lo comunica, con el enlace para pagar. Quien no paga a tiempo sale de la lista.`,
    join: "Apuntarme a la lista de espera",
    full: "Ahora no hay sitio para usted en esta lista: está llena, o este correo electrónico ya espera cinco visitas.",
    freeTitle: "Hay plazas",
    free: "No hace falta esperar: estas plazas se pueden reservar ahora.",
    noneTitle: "No hay lista de espera",
    none: "No se puede esperar esta visita: queda muy poco tiempo, ya no se vende así o el local no tiene lista de espera.",
    onTitle: "Está en la lista de espera",
    on: (email) => `Si las plazas quedan libres, se enviará un mensaje a ${email}.`,
    leave: "Salir de la lista",
    offTitle: "No está en la lista de espera",
    off: "Ha salido de ella, o se reservaron plazas para usted: en ese caso un mensaje tiene su enlace."
  },
  reminders: {
    title: "¿Dejar de recibir recordatorios?",
    lead: "Ya no recibirá en esta dirección recordatorios de pagos ni de visitas. Los mensajes sobre cambios y devoluciones seguirán llegando.",
    stop: "Dejar de recibir recordatorios",
    stoppedTitle: "No recibirá más recordatorios",
    stoppedLead: "Ya no se envían recordatorios a esta dirección.",
    resume: "Volver a recibir recordatorios"
  },
  findBooking: {
    title: "Encontrar su reserva",
    lead: "Escriba el número de reserva y el correo electrónico de su reserva. El enlace se envía a esa dirección.",
    email: "Correo electrónico",
    send: "Enviar el enlace",
    wrong: "Escriba un número de reserva como K7M2-9QXD y un correo electrónico.",
    tooOften:
      "Este número de reserva se ha probado demasiadas veces desde su red. Inténtelo de nuevo dentro de una hora.",
    sentTitle: "Revise su correo",
    sentLead:
      "Si existe esa reserva, su enlace está en camino al correo electrónico de la reserva. Tarda unos minutos como mucho.",
    sentMore:
      "¿No ha llegado nada? Compruebe el número de reserva y la dirección, y mire la carpeta de correo no deseado.",
    again: "Intentarlo de nuevo",
    askLead: "Este servicio no envía correos.",
    ask: "Pida el enlace de su reserva al local: necesita el número de reserva y su nombre. O pídalo al asistente con el que reservó."
  }
}
