/** Messages for families about their bookings, in Spanish. */
import type { Family } from "../en/Family.ts"
import { standingMessage } from "../Message.ts"

export const family: Family = {
  booking: {
    what: "Qué",
    where: "Dónde",
    who: "Quién",
    bookedBy: "Reservado por",
    notes: "Sus peticiones",
    quantity: "Cantidad",
    amount: "Importe",
    lines: {
      children: "Niños",
      extraChildren: "Niños adicionales",
      adults: "Adultos",
      extraAdults: "Adultos adicionales",
      billedAs: (n) => `se cobran ${n}`,
      tax: (percent) => `Impuestos (${percent})`,
      waived: "No se cobra (importe muy pequeño)",
      agreed: "Según lo acordado antes"
    },
    tax: (percent, amount, included) =>
      `${included ? `IVA incluido (${percent})` : `Impuestos aparte (${percent})`}: ${amount}`,
    by: (when) => `a más tardar el ${when}`,
    atVenue: "en el local",
    terms: "Si cambian sus planes",
    rules: "Normas del local",
    questions: "Preguntas",
    payNote: "Pagará en la página del proveedor de pagos y después volverá aquí.",
    payBalance: (amount) => `Pagar el resto: ${amount}`,
    calendar: "Añadir al calendario",
    calendarUpdate: "Actualizar el calendario",
    disputed:
      "Un pago de esta reserva está en disputa en el banco. Hasta que el banco decida, no se devuelve nada más.",
    unclear:
      "Un pago de esta reserva no se pudo registrar como de costumbre y alguien se ocupa de ello. Si algo le parece incorrecto, pregunte al local.",
    sentBack: (amount, arrived) =>
      `Un pago de ${amount} no era lo que se pidió, así que ${arrived ? "se le devolvió" : "se le devuelve"} por la misma vía.`,
    secret: "Quien tenga la dirección de esta página puede ver y cambiar la reserva: no la comparta.",
    underWayTitle: "Esta reserva se está cambiando",
    underWay:
      "Hay otro cambio de esta reserva en curso, así que no se ha hecho nada. Vuelva a intentarlo dentro de un minuto.",
    faults: {
      changed: "Ahora no hay nada que pagar aquí. Así está la reserva.",
      stale: "Algo ha cambiado entretanto, así que no se cobró nada. Así está ahora la reserva.",
      operator: "El local no puede recibir pagos en línea ahora. Pregúntele, por favor. No se cobró nada.",
      provider: "No se puede abrir la página de pago ahora. Inténtelo de nuevo dentro de un minuto. No se cobró nada."
    }
  },
  /** The page where a booking can be paid and nothing else. */
  payPage: {
    title: "Pagar su reserva",
    /** Precedes the operator's name. */
    payee: "Paga a",
    thenConfirmed: "Una vez pagada, la reserva queda confirmada.",
    thenPaid: "Después de este pago, no queda nada por pagar."
  },
  cancel: {
    title: "¿Cancelar esta reserva?",
    nothingPaid: "Nada, porque no se ha pagado nada.",
    all: (refund) => `Todo lo que pagó: ${refund}.`,
    part: (refund, paid) => `${refund} de los ${paid} que pagó.`,
    none: (paid) => `Nada: los ${paid} pagados no se devuelven.`,
    wentBackBefore: (amount) => `Ya se le devolvieron ${amount}.`,
    nothingMore: "No se le devuelve nada más.",
    alreadyOnItsWay: (amount) => `La devolución de ${amount} ya está en camino.`,
    stillArrives: "Si aún llegara un pago suyo, se le devolverá íntegro.",
    notAsked:
      "No hemos podido preguntar al proveedor de pagos si ya se le devolvió una parte. Se lo preguntaremos antes de enviar la devolución, que en ese caso será menor.",
    places: "Sus plazas quedan libres para otros de inmediato. No se puede deshacer.",
    cancel: "Cancelar la reserva",
    keep: "Conservar la reserva",
    changed: "No se ha cancelado nada: algo ha cambiado entretanto. Así está ahora.",
    begunTitle: "Su visita ha comenzado",
    begun: "Ya no se puede cancelar aquí."
  },
  move: {
    move: "Cambiar fecha u hora",
    chooseDay: "Elegir otro día",
    chooseTime: "Elegir una hora",
    now: (when) => `Su visita es el ${when}.`,
    rule: (until) =>
      `Hasta el ${until} puede cambiarla usted a cualquiera de estas horas. Si una hora cuesta más o menos, se indica su precio.`,
    times: { one: "# horario", other: "# horarios" },
    noneIn: (month) => `No hay nada libre en ${month} para su grupo.`,
    noneOn: (day) => `No hay nada libre el ${day} para su grupo.`,
    months: "Meses",
    anotherDay: "Otro día",
    title: "¿Cambiar esta reserva?",
    from: "Hasta ahora",
    to: "Nueva fecha y hora",
    stays: (total) => `El precio no cambia: ${total}.`,
    waived: (amount) => `La diferencia de ${amount} es demasiado pequeña para cobrarla: no la paga.`,
    goodwill: (amount) => `Se devolvieron ${amount} como gesto comercial. Se mantiene y aquí no cuenta.`,
    instead: (total, before) => `${total} en lugar de ${before}.`,
    more: (amount) => `${amount} más que antes.`,
    less: (amount) => `${amount} menos que antes.`,
    nothingBack: "Nada: no ha pagado más que el nuevo precio.",
    counted: (when) => `Lo que se devuelve si cancela se cuenta desde el ${when}: cambiar la visita no lo aumenta.`,
    confirm: "Cambiar la reserva",
    anotherTime: "Otra hora",
    changed: "La reserva sigue como estaba: entretanto ha habido otro cambio. Así está ahora.",
    tooMany:
      "No se ha cambiado nada: ese día ya tiene el máximo de reservas gratuitas o sin pagar. Elija otro día o pregunte al local.",
    gone: "No se ha cambiado nada: esa hora ya no está disponible. Estas están libres.",
    sorryTitle: "Ahora no se puede cambiar aquí",
    notFree: "Las condiciones de su reserva no permiten cambiarla gratis ahora.",
    begun: "Su visita ha empezado.",
    payment:
      "Un pago de esta reserva está abierto o en curso. Inténtelo de nuevo cuando haya llegado, o dentro de media hora.",
    refund: "Hay una devolución en camino. Inténtelo de nuevo cuando haya llegado.",
    otherCurrency:
      "Los precios aquí están ahora en otra moneda que la de su reserva, por lo que no se puede cambiar. Puede cancelarla y reservar de nuevo.",
    notSold: "Ahora no se pueden reservar otras horas."
  },
  access: {
    saidName: (name) => `Se presenta como «${name}».`,
    unconfirmed: "Nadie ha confirmado quién es.",
    bookedThrough: "Reservado a través de",
    ended: "Su acceso ha finalizado.",
    end: "Finalizar su acceso",
    title: (who) => `¿Finalizar el acceso de ${who}?`,
    lead: "Ya no podrá ver sus reservas, hacer otras nuevas ni obtener enlaces de pago. Para volver a usarlo, conéctelo de nuevo.",
    joined: "Asistentes que también acceden",
    since: (date) => `Desde el ${date}.`,
    mayChange: "Puede ver, cambiar y pagar esta reserva.",
    mayPay: "Puede ver y pagar esta reserva.",
    remove: "Quitar su acceso",
    removeTitle: (who) => `¿Quitar el acceso de ${who}?`,
    removeLead: "Ya no podrá ver, cambiar ni pagar esta reserva.",
    again:
      "Quien tenga la dirección de esta página puede volver a conectar un asistente. Si la tiene alguien que no debería, pida una dirección nueva al local.",
    another:
      "Para seguir con otro asistente, conéctelo como invitado y pegue la dirección de esta página cuando se le pida.",
    stays: "Sus reservas siguen como están, y esta página también."
  },
  terms: {
    nothingToPay: "No hay nada que pagar.",
    deposit: (amount, kept) => `Señal: ${amount}${kept ? " (no se devuelve)" : ""}.`,
    wentBack: (amount) => `Ya se devolvieron ${amount}.`,
    nothingBack: "Si cancela, no se devuelve nada.",
    nothingMoreBack: "No se devuelve nada más.",
    headcountBy: (when) => `Hasta el ${when} puede cambiar usted el número de niños en la página de su reserva.`,
    growsBy: (when) =>
      `Hasta el ${when} puede añadir personas usted mismo en la página de su reserva, pero no reducir su número.`,
    headcountFinal: "El número de niños es definitivo.",
    moveUntil: (when) => `Cambio de fecha u hora gratuito hasta el ${when}.`,
    restAtVenue: "El resto se paga en el local.",
    releasedAt: (when) => `Si el resto no se paga a más tardar el ${when}, sus plazas quedan libres.`
  },
  standings: {
    to_pay: standingMessage(
      "Sus plazas están reservadas",
      ({ amount }) => `Pague ${amount} antes de que acabe el plazo y la reserva quedará confirmada.`
    ),
    payment_failed: standingMessage(
      "El pago no se pudo hacer",
      "No se cobró nada y sus plazas siguen reservadas: puede intentarlo de nuevo."
    ),
    not_payable: standingMessage("Sus plazas están reservadas", ({ sent_back }) =>
      sent_back === ""
        ? "El local no puede recibir pagos aquí por el momento. Pregúntele, por favor, antes de que acabe el plazo. No se cobró nada."
        : "El local no puede recibir pagos aquí por el momento. Pregúntele, por favor, antes de que acabe el plazo."
    ),
    payment_processing: standingMessage(
      "Su pago está en curso",
      "Algunas formas de pago tardan días. Le guardamos las plazas hasta que llegue el dinero; no tiene que hacer nada."
    ),
    payment_under_review: standingMessage(
      "Estamos comprobando su pago",
      ({ in_question }) =>
        `Llegó un pago de ${in_question} que no es lo que se pidió y alguien se ocupa de ello. Mientras tanto le guardamos las plazas. No vuelva a pagar, por favor.`
    ),
    arriving: standingMessage(
      "Estamos comprobando su pago",
      "El plazo para pagar terminó, pero puede haberse hecho un pago en el último momento. Vuelva a intentarlo dentro de un minuto."
    ),
    free: standingMessage("Su reserva está confirmada", "No hay nada que pagar. ¡Que lo pasen bien!"),
    paid: standingMessage("Su reserva está confirmada", ({ comes_back, paid_back }) =>
      comes_back === "" && paid_back === ""
        ? "Está todo pagado. ¡Que lo pasen bien!"
        : "No queda nada por pagar. ¡Que lo pasen bien!"
    ),
    confirmed_paid_back: standingMessage("Se le ha devuelto el dinero", ({ comes_back, paid_back }) =>
      comes_back === ""
        ? `Se le devolvieron ${paid_back}, pero su reserva no se ha cancelado. Pregunte al local si su visita tendrá lugar. No tiene que volver a pagar.`
        : `Se le devuelven ${comes_back}, pero su reserva no se ha cancelado. Pregunte al local si su visita tendrá lugar. No tiene que volver a pagar.`
    ),
    balance_due: standingMessage("Su reserva está confirmada", ({ amount, online, until }) =>
      online
        ? `Faltan por pagar ${amount}, a más tardar el ${until}.`
        : until === ""
          ? `Faltan por pagar ${amount}. Se pagan en el local, el día de su visita.`
          : `Faltan por pagar ${amount}, a más tardar el ${until}. Se paga en el local, no en esta página.`
    ),
    balance_overdue: standingMessage("Su reserva está confirmada", ({ amount, online, until }) =>
      online
        ? `Faltan por pagar ${amount}, que vencieron el ${until}. Páguelos ahora, por favor.`
        : `Faltan por pagar ${amount}, que vencieron el ${until}. Páguelos en el local, por favor.`
    ),
    balance_processing: standingMessage(
      "Su reserva está confirmada",
      ({ amount }) => `Su pago de ${amount} está en curso; no tiene que hacer nada.`
    ),
    confirmed_under_review: standingMessage(
      "Su reserva está confirmada",
      ({ in_question }) =>
        `Llegó un pago de ${in_question} que no es lo que se pidió y alguien se ocupa de ello. No vuelva a pagar, por favor.`
    ),
    over: standingMessage("Su visita ya pasó", ({ amount }) =>
      amount === "" ? "Gracias por venir." : `Gracias por venir. Faltan por pagar ${amount}: pregunte al local.`
    ),
    did_not_come: standingMessage("No acudieron a la visita", ({ amount }) =>
      amount === ""
        ? "Así lo ha anotado el local. Si no es correcto, pregunte al local."
        : `Así lo ha anotado el local. Faltan por pagar ${amount}. Si no es correcto, pregunte al local.`
    ),
    released: standingMessage("Sus plazas han quedado libres", ({ comes_back, in_question, paid, paid_back }) => {
      const lead =
        "El resto no se pagó a tiempo, así que las plazas vuelven a estar libres, como dicen las condiciones de la reserva."
      if (in_question !== "")
        return `${lead} Llegó un pago de ${in_question} que no es lo que se pidió y alguien se ocupa de ello.`
      if (comes_back !== "") return `${lead} Se le devuelven ${comes_back}.`
      if (paid_back !== "") return `${lead} Se le devolvieron ${paid_back}.`
      return paid === "" ? lead : `${lead} Los ${paid} pagados no se devuelven.`
    }),
    expired: standingMessage("Su reserva ha caducado", ({ sent_back }) =>
      sent_back === ""
        ? "No se pagó a tiempo y sus plazas vuelven a estar libres. No se cobró nada."
        : "No se pagó a tiempo y sus plazas vuelven a estar libres."
    ),
    expired_under_review: standingMessage(
      "Su reserva ha caducado",
      ({ in_question }) =>
        `Llegó un pago de ${in_question} que no es lo que se pidió y alguien se ocupa de ello. Confirma la reserva si sus plazas siguen libres, o se le devuelve.`
    ),
    expired_processing: standingMessage(
      "Su reserva ha caducado",
      "El pago llegó tarde y aún se está procesando. Cuando llegue, confirmará la reserva si las plazas están libres; si no, se le devolverá."
    ),
    expired_going_back: standingMessage("Su reserva ha caducado", ({ comes_back }) =>
      comes_back === ""
        ? "El pago llegó cuando las plazas ya no estaban libres, y se le devuelve."
        : `El pago llegó cuando las plazas ya no estaban libres. Se le devuelven ${comes_back}.`
    ),
    expired_paid_back: standingMessage(
      "Su reserva ha caducado",
      ({ paid_back }) => `El pago llegó cuando las plazas ya no estaban libres. Se le devolvieron ${paid_back}.`
    ),
    cancelled: standingMessage("Su reserva está cancelada", ({ sent_back }) =>
      sent_back === "" ? "No se pagó nada y no hay nada que pagar." : "No hay nada que pagar."
    ),
    cancelled_kept: standingMessage(
      "Su reserva está cancelada",
      ({ paid }) => `Según las condiciones de la reserva, los ${paid} pagados no se devuelven.`
    ),
    cancelled_under_review: standingMessage(
      "Su reserva está cancelada",
      ({ in_question }) =>
        `Llegó un pago de ${in_question} que no es lo que se pidió. Alguien se ocupa de ello, y se le devuelve.`
    ),
    cancelled_processing: standingMessage(
      "Su reserva está cancelada",
      "Un pago aún se está procesando. Cuando llegue, se le devolverá."
    ),
    cancelled_going_back: standingMessage("Su reserva está cancelada", ({ comes_back }) =>
      comes_back === "" ? "Se le devuelve el dinero." : `Se le devuelven ${comes_back}.`
    ),
    cancelled_paid_back: standingMessage(
      "Su reserva está cancelada",
      ({ paid_back }) => `Se le devolvieron ${paid_back}.`
    )
  },
  afterPaying: {
    arrived: (amount) => `Hemos recibido su pago de ${amount}.`,
    waiting: {
      title: "Estamos esperando su pago",
      lead: "El proveedor de pagos todavía no nos ha avisado de ningún pago. Suele tardar unos segundos."
    },
    looksByItself: "Esta página se actualiza automáticamente.",
    onItsWay: (amount) => `El pago de ${amount} se ha iniciado, pero el dinero todavía no ha llegado.`,
    notPaid: "No ha pagado. No se ha cobrado nada.",
    failed: "El pago ha fallado. No se ha cobrado nada.",
    closed: "La página de pago está cerrada, y no se ha cobrado nada.",
    late: "Pida a su asistente que reserve de nuevo. Si aún llegara un pago, confirma la reserva si las plazas están libres; si no, se le devuelve.",
    notNeeded: (amount) =>
      `Su pago de ${amount} llegó cuando ese importe ya estaba pagado o su reserva había cambiado. No se tiene en cuenta, y su reserva sigue igual.`,
    wentBack: "Su pago se le devolvió por el mismo medio de pago.",
    underReview: (amount) =>
      `Su pago de ${amount} ha llegado y no es lo que se pidió. Alguien se ocupa de ello y la página de su reserva muestra en qué queda. No vuelva a pagar, por favor.`,
    payAgain: "Ir a la página de pago",
    linkRenewed:
      "La página de su reserva tiene una dirección nueva desde que abrió la página de pago. Pídala a su asistente o al local.",
    linkGiven: "La página de su reserva se abre con el enlace que recibió al reservar.",
    unavailable: {
      title: "Ahora no podemos comprobarlo",
      lead: "Su pago está seguro con el proveedor de pagos; no hemos podido preguntar en qué estado está."
    },
    unknown: {
      title: "De vuelta de la página de pago",
      lead: "Esta dirección no corresponde a ninguna reserva.",
      more: "Pregunte a su asistente cómo está su reserva: él ve si el pago ha llegado."
    },
    closing: "Puede cerrar esta página y volver a su asistente."
  }
}
