/** All messages for people, in Spanish. */
import type { Messages } from "../en/Messages.ts"
import { desk } from "./Desk.ts"
import { family } from "./Family.ts"
import { letters } from "./Letters.ts"
import { party } from "./Party.ts"
import { rooms } from "./Rooms.ts"
import { visit } from "./Visit.ts"

export const es: Messages = {
  locale: "es",
  words: {
    reference: "Número de reserva",
    visit: "Visita",
    when: "Cuándo",
    price: "Precio",
    total: "Total",
    paid: "Pagado",
    dueNow: "A pagar ahora",
    balance: "A pagar después",
    refunded: "Devuelto",
    refunding: "Devolución en camino",
    comesBack: "Devolución",
    presented: (theirs, ours) => `Ha pagado ${theirs} (${ours}).`,
    together: "Reservadas a la vez",
    confirmed: "Confirmado",
    cancelled: "Cancelado",
    email: "Correo electrónico",
    children: { one: "# niño", other: "# niños" },
    adults: { one: "# adulto", other: "# adultos" },
    ages: (ages) => `edades: ${ages}`,
    pay: (amount) => `Pagar ${amount}`,
    lookAgain: "Actualizar",
    toBooking: "Volver a su reserva",
    leaveAsItIs: "Dejarlo como está",
    ownDevice: "un programa de su propio dispositivo",
    followedBy: (one, next) => `${one} ${next}`,
    backByBank:
      "El dinero se le devuelve por el mismo medio de pago, normalmente en un plazo de 5 a 10 días laborables.",
    backByVenue: "Se devuelve tal como se pagó: el propio local le devuelve el dinero, o vuelve a estar en su vale.",
    backByBoth: (bank, venue) =>
      `Se le devuelven ${bank} por el mismo medio de pago, normalmente en un plazo de 5 a 10 días laborables. Los otros ${venue} se devuelven tal como se pagaron: los devuelve el propio local, o vuelven a estar en su vale.`,
    backAfterDispute: (amount) =>
      `${amount} no se envían hasta que su banco decida sobre el pago en disputa; lo que el propio banco le devuelva se descuenta.`,
    backOnceOpen: (amount) =>
      `${amount} no se pueden enviar todavía, porque la cuenta del local en el proveedor de pagos está cerrada por ahora. Se le devolverán en cuanto vuelva a estar abierta. El local lo sabe.`,
    comma: ", ",
    clock: (time) => time,
    bring: "Qué llevar",
    askVenue: "Pregunte al local:",
    askAtVenue: "Pregunte en el local:"
  },
  landing: {
    lead: "Su asistente de IA encuentra aquí una sala de juegos infantil, la reserva y le da un enlace para pagar.",
    how: "Ve qué salas convienen a su grupo, cuándo están libres y cuánto cuesta exactamente cada horario. El horario que elija queda retenido para usted mientras paga.",
    payment: "Usted paga en la página del proveedor de pagos. Su asistente nunca ve su tarjeta.",
    book: "Reservar una visita",
    venuesHeading: "Usted tiene una sala de juegos",
    venues:
      "Las familias reservan sus salas con los asistentes que ya usan, pagan en su propia cuenta y cambian o cancelan según sus condiciones. En una página propia ve quién viene y cuándo. Le da de alta quien gestiona este servicio.",
    askHeading: "Qué puede pedir",
    asks: [
      "«Busca una sala de juegos cerca para ocho niños el sábado por la tarde.»",
      "«¿Cuánto cuesta, y qué nos devuelven si cancelamos?»",
      "«Resérvanos la de las dos.»"
    ],
    connectHeading: "Conectar su asistente",
    signInHeading: "Asistentes en los que usted inicia sesión",
    signIn:
      "En los ajustes de su asistente, añada un conector (a veces llamado aplicación o servidor MCP) con esta dirección. Después, una página nuestra le pregunta si está de acuerdo.",
    signInWays: {
      guest: "No necesita cuenta ni clave.",
      key: "Allí pega su clave de API.",
      both: "No necesita cuenta: siga como invitado o pegue una clave de API."
    },
    localOnly:
      "Esta dirección es solo de este ordenador, y los asistentes de la web no llegan a ella: necesitan una dirección https pública, como la de un servidor o un túnel.",
    noSignIn:
      "En este servicio no se puede iniciar sesión: los asistentes que no pueden enviar una clave pueden buscar aquí, pero no reservar.",
    headerHeading: "Asistentes y programas que envían su clave",
    header:
      "Deles esta dirección, y su clave en la cabecera `X-API-Key`. En el texto copiado, sustituya `YOUR_KEY` por la clave.",
    keyless:
      "Sin clave pueden buscar y ver lo que está libre. Para reservar y pagar hace falta una: se la da quien gestiona este servicio.",
    inFile: (file) => `En \`${file}\`:`,
    inShell: "En un terminal:",
    bearerHeading: "Programas que envían un solo token",
    bearer: "La dirección es la misma, y la clave es el token «bearer»:",
    knownHeading: "Qué funciona, y cómo lo sabemos",
    known:
      "«Probado»: las pruebas de este servicio lo hacen. «A mano»: hemos conectado esa versión nosotros mismos. «Según su documentación»: lo dice su fabricante, y no lo hemos probado.",
    host: "Asistente",
    sends: "Se conecta con",
    evidence: "Cómo lo sabemos",
    ways: { header: "una clave en una cabecera", bearer: "una clave como token", sign_in: "inicio de sesión" },
    tried: "probado",
    byHand: (version) => `a mano, con ${version}`,
    documented: "según su documentación",
    more: "Para desarrolladores",
    documentation: "Documentación",
    openapi: "Documento OpenAPI",
    health: "Estado",
    onboarding: {
      done: "Gracias. Quien gestiona este servicio ve si al proveedor de pagos aún le falta algo, y se lo hace saber.",
      expired: "Este enlace ya se usó o ha caducado. Pida uno nuevo a quien gestiona este servicio."
    }
  },
  signIn: {
    title: (host) => `¿Conectar ${host}?`,
    lead: (host) => `${host} quiere buscar y reservar salas de juegos para usted y obtener enlaces de pago.`,
    titleLocal: "¿Conectar un programa de su dispositivo?",
    leadLocal:
      "Un programa de su dispositivo quiere buscar y reservar salas de juegos para usted y obtener enlaces de pago.",
    who: "Quién lo pide",
    proven: "Esta dirección está confirmada.",
    unproven: (name) => `El programa se presenta como «${name}». Nadie ha comprobado ese nombre.`,
    unprovenNameless: "Nadie ha comprobado quién es.",
    backTo: "Después vuelve a",
    mayDo: "Lo que podrá hacer",
    scopes: {
      "bookings:read": "Ver las reservas hechas con esta conexión y las anteriores a las que le dé acceso",
      "bookings:write": "Retener y reservar plazas en salas de juegos",
      "payments:write": "Crear enlaces para que usted pague. No puede pagar por sí mismo."
    },
    notYou: "Si no lo ha iniciado usted ahora mismo, rechácelo.",
    keyHeading: "Con una clave de API",
    keyLabel: "Clave de API",
    keyNote: "La conexión actúa con esta clave hasta que caduque la clave o usted termine la conexión.",
    keyButton: "Conectar con esta clave",
    guestHeading: "Como invitado",
    guestNote:
      "No necesita cuenta. Se ven las reservas que se hagan así para usted, y las anteriores si se indican su número y su correo electrónico.",
    linkLabel: "Enlace de la página de una reserva (opcional)",
    linkNote:
      "¿Ya reservó antes? Con el enlace de la página de su reserva, el asistente puede seguir con ella como si la hubiera hecho él.",
    guestButton: "Conectar como invitado",
    refuse: "Rechazar",
    keyMissing: "Pegue una clave de API.",
    keyWrong: "Esta clave de API es incorrecta o ha caducado.",
    keyAllowsNothing: "Esta clave de API no permite nada de lo que se pide.",
    linkWrong:
      "Este enlace no abre ninguna reserva o ya no es válido. Cópielo de la página de su reserva o deje el campo vacío.",
    tooManyTries: "Demasiados intentos desde su conexión a internet. Espere un minuto y vuelva a intentarlo.",
    tooManyGuests:
      "En la última hora se han conectado muchos invitados desde su conexión a internet. Vuelva a intentarlo dentro de una hora o use otra conexión, por ejemplo los datos móviles en lugar de la wifi.",
    noCookieTitle: "Su navegador no ha guardado la cookie",
    noCookie:
      "Esta página necesita una cookie para saber que es usted. Permita las cookies de este sitio o abra el enlace en su navegador habitual.",
    decidedTitle: "Ya ha respondido",
    decided: "Vuelva a su asistente para continuar. Si no está conectado, conéctelo de nuevo desde allí.",
    expiredTitle: "Esta página ha caducado",
    expired: "Ha estado abierta demasiado tiempo.",
    errorTitle: "No se puede conectar",
    error: "Lo que pide el programa no es posible. Quien lo hizo encuentra aquí el motivo:",
    unavailable: "El servicio no puede responder en este momento. Vuelva a intentarlo pronto.",
    startAgain: "Vuelva a su asistente y conéctelo de nuevo."
  },
  publisher: {
    privacy: "Privacidad",
    terms: "Condiciones de uso",
    support: "Ayuda"
  },
  linkProblems: {
    nothing: {
      title: "Esta página no existe",
      lead: "La dirección no es correcta o la página se ha eliminado.",
      more: "Compruebe que la dirección está completa o vaya a la página de inicio:"
    },
    broken: {
      title: "Se ha producido un error",
      lead: "El fallo es nuestro y ha quedado registrado.",
      more: "Vuelva a intentarlo dentro de un momento."
    },
    dead: {
      title: "Este enlace ya no funciona",
      lead: "Está incompleto, fue sustituido por uno nuevo o es demasiado antiguo.",
      more: "Compruebe que se copió la dirección completa. Si es así, pida el enlace actual a su asistente o al local."
    },
    invitation: {
      title: "Esta invitación ya no es válida",
      lead: "La visita se canceló o el enlace se sustituyó por otro.",
      more: "Pregunte a quien le invitó."
    },
    deskInvitation: {
      title: "Este enlace a la recepción ya no vale",
      lead: "Se ha usado, sustituido o retirado, es demasiado antiguo, o quien lo creó ya no es responsable allí.",
      more: "Si ha creado su clave de acceso, entre con ella. Si no, pida un enlace nuevo a un responsable de la recepción."
    },
    unavailable: {
      title: "Ahora no podemos mostrar esta página",
      lead: "No se ha perdido nada.",
      more: "Vuelva a cargar la página dentro de un momento: entonces mostrará la situación actual."
    },
    tooMany: {
      title: "Demasiadas solicitudes",
      lead: "Desde su red se pidieron muchas páginas en un minuto.",
      more: "Espere un minuto y vuelva a cargar la página."
    },
    unreadable: {
      title: "No se pudo leer el formulario",
      lead: "Llegó incompleto y no ha cambiado nada.",
      more: "Vuelva atrás, cargue la página de nuevo y envíe el formulario otra vez."
    }
  },
  operator: {
    visits: { one: "# visita", other: "# visitas" },
    noVisits: "No hay visitas este día.",
    unsureToo: (held) => `de ellas, por confirmar: ${held}`,
    days: "Días",
    today: "Hoy",
    weekBefore: "Semana anterior",
    weekAfter: "Semana siguiente",
    nextVisit: (date) => `Próxima visita: ${date}`,
    misunderstood:
      "La dirección indica un día, o un punto de la lista, que no existe. En su lugar se muestra este día.",
    prepare: "Para preparar",
    closed: "Cerrado",
    alsoBooked: (reference) => `La misma familia tiene otra reserva a esa hora: ${reference}`,
    blocked: { closed: "Durante el cierre", overbooked: "Más de lo que hay" },
    blockedToo: (visits) => `de ellas, por decidir: ${visits}`,
    visitsBlocked: {
      one: "# visita está reservada durante el cierre, o tiene más de lo que hay. Tendrá lugar si no se cambia de fecha o se cancela.",
      other:
        "# visitas están reservadas durante el cierre, o tienen más de lo que hay. Tendrán lugar si no se cambian de fecha o se cancelan."
    },
    otherCalendar: (calendar) => `ocupado en el calendario «${calendar}»`,
    allDay: "todo el día",
    unsure: "Por confirmar",
    keptUntil: (time) => `Aún sin pagar: reservado hasta las ${time}.`,
    inQuestion: "Llegó un pago que no es lo que se pidió y se está comprobando: no cobre nada por él.",
    onItsWay: "El pago está en curso.",
    extras: "Extras",
    notes: "Notas",
    toPay: (amount) => `Falta por pagar: ${amount}`,
    toDo: "Por revisar",
    /** What the operator can act on, by the kind of notice. */
    notices: {
      paid_back: (amount: string, reference: string) =>
        `Se devolvió todo (${amount}) de la reserva ${reference} y la visita conserva sus plazas: indique si tendrá lugar.`,
      balance_overdue: (amount: string, reference: string) =>
        `Hay ${amount} vencidos de la reserva ${reference}: recuérdeselo a la familia o cobre en el local.`,
      unpaid_after_visit: (amount: string, reference: string) =>
        `La visita de la reserva ${reference} ha terminado y quedan ${amount} sin pagar: anote el pago si ya lo tiene o pídaselo a la familia.`,
      refund_failed: (amount: string, reference: string) =>
        `La devolución de ${amount} de la reserva ${reference} falló: acuerde con la familia cómo recibirá el dinero.`,
      refund_waits_for_money: (amount: string, reference: string) =>
        `La devolución de ${amount} de la reserva ${reference} espera fondos: añada dinero a su saldo en el proveedor de pagos.`,
      refund_waits_for_dispute: (amount: string, reference: string) =>
        `La devolución de ${amount} de la reserva ${reference} espera a que termine una disputa: respóndala en el panel del proveedor de pagos.`,
      refund_at_venue: (amount: string, reference: string) =>
        `Devuelva usted ${amount}: la reserva ${reference} se pagó en el local y la devolución está decidida.`,
      disputed: (amount: string, reference: string) =>
        `Quien pagó la reserva ${reference} disputa ${amount}: responda en el panel del proveedor de pagos.`,
      dispute_lost: (amount: string, reference: string) =>
        `La disputa por ${amount} de la reserva ${reference} se perdió y quien pagó recuperó el dinero: decida si la visita tendrá lugar, salvo que se cancelara. Si usted también lo había devuelto, quien pagó lo tiene dos veces.`,
      dispute_won: (amount: string, reference: string) =>
        `La disputa por ${amount} de la reserva ${reference} se ganó finalmente y usted vuelve a tener el dinero: si la visita se canceló, pregunte a la familia si quiere reservar de nuevo.`
    },
    accountClosed: (since) =>
      `Su cuenta en el proveedor de pagos no acepta pagos desde el ${since}: no se pueden hacer reservas nuevas. Entre allí y responda a lo que le pide; en cuanto acepte pagos, se podrá reservar de nuevo.`,
    calendarNotices: {
      notRead: (calendar, playroom, since) =>
        `El calendario «${calendar}» de ${playroom} no se ha leído desde el ${since}: lo que se haya anotado después no está cerrado aquí. Compruebe su dirección.`,
      eventNotRead: (calendar, playroom) =>
        `El calendario «${calendar}» de ${playroom} tiene una entrada que no se entiende del todo: compruebe que sus horas están cerradas aquí.`,
      booking: (reference, playroom, calendar) =>
        `La reserva ${reference} tiene ${playroom} a una hora ocupada en el calendario «${calendar}»: si es la misma fiesta, ponga el número de reserva en el título de esa entrada; si no, cambie una de las dos.`
    },
    allGivenBack: "Se devolvió todo y la visita no está cancelada: ¿tendrá lugar?",
    overdue: (amount, since) => `Falta por pagar: ${amount}, vencido desde el ${since}`,
    givenBack: "Pagado, y se devolvió dinero",
    nothingToPay: "Nada que pagar",
    more: "Más visitas de este día",
    fromStart: "Desde el principio del día",
    calendar: "En su calendario",
    calendarLead:
      "Su calendario puede mostrar estas visitas, siempre al día. Si el botón no hace nada, suscríbase a esta dirección:",
    subscribe: "Suscribirse",
    secret:
      "Quien tenga la dirección de esta página o del calendario verá los nombres de sus visitantes. Compártalas solo con su equipo.",
    calendarName: (operator) => `Visitas: ${operator}`,
    phone: "Teléfono",
    erased: "Nombre borrado"
  },
  card: {
    title: "Reservar una sala de juegos",
    waiting: "Esperando la respuesta…",
    working: "Un momento…",
    stopped: "La solicitud se ha detenido.",
    chooseTime: "Elija una hora",
    timesLeft: "Horas",
    noTimes: "No hay horas libres",
    nextDay: (day) => `El próximo día libre es el ${day}.`,
    placesLeft: { one: "queda # plaza", other: "quedan # plazas" },
    dueNowOf: (amount) => `${amount} ahora`,
    noRefund: "Si cancela, lo que paga ahora no se devuelve.",
    refundUntil: (amount, moment) => `Si cancela hasta el ${moment}, se le devuelven ${amount}.`,
    bookThis: "Reservar esta hora",
    moreTimes: "Más horas",
    otherTimes: "Otras horas",
    details: "¿Quién reserva?",
    name: "Nombre",
    nameMissing: "Escriba un nombre.",
    emailWrong: "Escriba un correo electrónico, como ana@example.com.",
    freeHold: "Las plazas quedan entonces reservadas. Sin pago, la reserva caduca y no cuesta nada.",
    book: "Reservar",
    back: "Volver",
    refresh: "Actualizar",
    balanceBy: (amount, day) => `${amount} a más tardar el ${day}`,
    balanceAtVenue: (amount) => `${amount} en el local`,
    allPaidBack: "Devuelto: pregunte al local",
    held: "Reservado para usted",
    expired: "Ya no está reservado",
    processing: "Pago en curso",
    payment: "Pago",
    timeLeft: "Tiempo para pagar",
    payOpened: "La página de pago está abierta. Vuelva aquí cuando haya pagado.",
    bookingPage: "La página de su reserva",
    pageOpened: "La página de su reserva está abierta. Lo que cambie allí se verá aquí cuando vuelva.",
    openYourself: "La página no se pudo abrir desde aquí. Abra esta dirección:",
    unchanged: "Todavía no ha cambiado nada.",
    notPassedOn: "Su asistente no lo ha transmitido. Inténtelo de nuevo o pídaselo en el chat.",
    rateLimited: (n) => `Demasiadas solicitudes. Inténtelo de nuevo en ${n} s.`,
    near: "Horas cercanas:",
    reasons: {
      closed: "La sala de juegos está cerrada a esa hora.",
      not_sold_on_these_days: "La sala de juegos no ofrece esto en esos días.",
      fully_booked: "Todas las plazas están ocupadas a esa hora.",
      add_ons_taken:
        "Los extras están ocupados en otro sitio o fuera de servicio a esa hora. Sin ellos, la sala está libre.",
      too_soon: "Falta muy poco tiempo: la sala de juegos pide más antelación.",
      too_far_ahead: "La sala de juegos no acepta reservas con tanta antelación.",
      party_too_large: "El grupo es demasiado grande para esta sala de juegos.",
      party_too_small: "El grupo es demasiado pequeño para esta sala de juegos.",
      in_the_past: "Ese día ya ha pasado.",
      outside_your_times: "No hay nada libre a esas horas."
    },
    errors: {
      api_key_missing:
        "Esta conexión muestra horas, pero no puede reservar. Quien la configuró tiene que añadir una clave de API.",
      api_key_invalid: "La clave de API de esta conexión no es válida. Quien la configuró tiene que poner otra.",
      api_key_scope: "La clave de API de esta conexión no permite esto. Quien la configuró tiene que poner otra.",
      invalid_arguments: "Un dato no se ha aceptado. Revíselo e inténtelo de nuevo.",
      playroom_not_found: "Esta sala de juegos ya no se ofrece. Pida otra a su asistente.",
      package_not_found: "Este paquete ya no se ofrece. Consulte otras horas.",
      booking_not_found: "Esta conexión no puede ver la reserva. Pregunte al local.",
      option_invalid: "Esta hora ya no se ofrece. Consulte otras horas.",
      price_changed:
        "El precio, la hora o las condiciones han cambiado y no se ha reservado nada. Esta es la oferta ahora:",
      slot_unavailable: "No se ha reservado nada. Consulte otras horas.",
      hold_expired: "El plazo para pagar ha terminado. Consulte otras horas.",
      booking_cancelled: "Esta reserva está cancelada y no se puede pagar. Consulte otras horas.",
      nothing_due: "Ahora no hay nada que pagar. Actualice para ver la reserva.",
      operator_unavailable: "Esta sala de juegos no acepta reservas ni pagos por ahora. Pida otra a su asistente.",
      idempotency_conflict: "Eso ya se pidió con otros datos. Pida a su asistente que lo intente de nuevo.",
      already_booked:
        "Ya lo ha reservado en otra conversación. No se ha reservado nada más. Dé al asistente el número de reserva de su confirmación y su correo electrónico, o abra el enlace de su reserva.",
      too_many_holds:
        "No se ha reservado nada: ahora mismo hay demasiadas reservas sin pagar. Si alguna es suya, páguela o cancélela. Si no, inténtelo de nuevo en unos minutos o elija otro día.",
      payment_provider_unavailable:
        "La página de pago no se puede abrir por ahora. No se ha cobrado nada. Inténtelo de nuevo en unos minutos.",
      service_unavailable: "El servicio de reservas no responde por ahora. Inténtelo de nuevo en un minuto.",
      internal_error: "Algo ha fallado en el servicio de reservas. Inténtelo de nuevo o pregunte a su asistente."
    }
  },
  ...desk,
  ...family,
  ...letters,
  ...party,
  ...rooms,
  ...visit
}
