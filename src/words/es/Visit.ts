/** Messages around a visit: deadlines, calendars, the invitation and the receipt, in Spanish. */
import type { Visit } from "../en/Visit.ts"

export const visit: Visit = {
  deadlines: {
    left: (duration) => `Tiempo restante: ${duration}`,
    lessThanAMinute: "Queda menos de un minuto",
    over: "Se ha acabado el tiempo: vuelva a cargar la página.",
    until: (moment) => `hasta el ${moment}`,
    untilToday: (time) => `hasta las ${time}`,
    yours: (time) => `(en su hora: ${time})`,
    local: "Todas las horas son las del lugar de la visita."
  },
  page: {
    payTogether: (several, amount) => `Pagar las ${several} de una vez: ${amount}`,
    eachAlone: "Cada una de estas reservas se cambia y se cancela por separado.",
    bookAgain: "Reservar de nuevo",
    bookAgainHow:
      "Pida otra hora a su asistente. Si no tiene ninguno, vea cuáles pueden reservar aquí o pregunte al local.",
    assistants: "Asistentes que pueden reservar",
    suspended: "El local no admite reservas nuevas aquí por el momento. La suya sigue en pie.",
    moved: (from) => `Esta visita se cambió. Antes era el ${from}. Si la tiene en su calendario, actualícela.`,
    otherRoom: (now, before) =>
      `Esta visita es ahora en otra sala: ${now}. Antes era en ${before}. Si la tiene en su calendario, actualícela.`,
    payTo: (operator) => `Paga a ${operator} en la página del proveedor de pagos y después vuelve aquí.`,
    kept: "Retenido por el local",
    byTerms: (when, amount) => `Cancelada el ${when}. Según las condiciones, entonces se devolvían ${amount}.`,
    byTermsNothing: (when) => `Cancelada el ${when}. Según las condiciones, entonces no se devolvía nada.`,
    map: "Mapa",
    directions: "Cómo llegar",
    moveInstead: (until) => `También puede cambiar la fecha o la hora hasta el ${until}, sin cancelar.`,
    earlier: "La nueva hora es anterior, y los plazos para cancelar también se adelantan, de forma definitiva.",
    earlierMoney: (now, then) => `Si cancela ahora, se le devuelven ${now}. Después del cambio: ${then}.`
  },
  refundTable: {
    caption: "Lo que se devuelve si cancela",
    until: "Hasta",
    ofPaid: (sum) => `de los ${sum} pagados`,
    ofDueNow: (sum) => `una vez pagados los ${sum}`,
    ofAll: (sum) => `una vez pagado todo (${sum})`,
    nothing: "nada",
    afterwards: "después"
  },
  calendars: {
    google: "Google Calendar",
    outlook: "Outlook.com"
  },
  invitation: {
    share: "Enviar una invitación",
    shareLead:
      "Envíe este enlace a sus invitados. Verán dónde y cuándo es, y nada más: ni precio, ni nombres, ni peticiones. Pueden decir que vienen, y no pueden cambiar nada.",
    shareOpen: "Ver la invitación",
    title: "Invitación",
    ask: "¿Preguntas? Diríjase a quien le invitó.",
    come: "Vamos",
    childName: "Nombre de pila del niño o de la niña",
    allergies: "Lo que no puede comer",
    allergiesHint: "Alergias, por ejemplo. O déjelo vacío.",
    whoSees: "Lo ve quien le invitó, y también el local. Los demás invitados no lo ven.",
    send: "Vamos",
    thanks: "Gracias: quien le invitó ya lo ve. Si viene otro niño, anótelo también.",
    full: "No se ha guardado nada: la lista está completa. Avise a quien le invitó.",
    begun: "No se ha guardado nada: la visita ha empezado.",
    wrong: "No se ha guardado nada. Revise lo que está marcado.",
    noName: "Indique un nombre de pila de 60 caracteres como máximo.",
    tooLong: "Escriba como máximo 200 caracteres.",
    guests: "Invitados que vienen",
    remove: "Quitar"
  },
  voucher: {
    title: "Vale regalo",
    worth: "Valor",
    left: "Queda en el vale",
    until: "Válido hasta",
    noEnd: "No caduca.",
    how: "Diga el código al pagar en el local, o escríbalo en la página de su reserva. Lo que no gaste se queda en el vale.",
    keep: "Quien tenga el código puede gastarlo: guárdelo como si fuera dinero.",
    forWhom: "Para",
    from: "De",
    use: "Tengo un vale",
    lead: "Paga lo que quede en él, pero no más de lo que falte por pagar.",
    code: "Código del vale",
    codeHint: "16 letras y cifras. Da igual escribir guiones o minúsculas.",
    look: "Ver lo que paga",
    pays: "El vale paga",
    pay: (amount) => `Pagar ${amount} con el vale`,
    less: (due) =>
      `El vale no basta por sí solo: habría que pagar ${due} más ahora mismo. Pregunte al local, o pague en línea lo que se debe ahora y use el vale para el resto.`,
    none: "No hay ningún vale con este código. Compruebe cada letra.",
    again: "No se ha pagado nada: algo ha cambiado desde que lo miró. Así está ahora.",
    refused: {
      slip: "El código no está escrito exactamente como aparece impreso. Compruebe cada letra.",
      unknown: "Este local no ha vendido ningún vale con este código.",
      voided: "El vale no es válido: se anuló su venta.",
      expired: "El vale ha caducado.",
      used_up: "No queda nada en el vale.",
      other_currency: "El vale está en otra moneda."
    }
  },
  buying: {
    title: "Comprar un vale regalo",
    lead: "Paga visitas y fiestas en este local, de una vez o por partes.",
    amount: "Importe",
    bounds: (least, most) => `De ${least} a ${most}.`,
    valid: "Validez",
    recipient: "Para quién (vacío: una línea para escribir)",
    greeting: "Una línea de felicitación (opcional)",
    pay: "Pagar en línea",
    how: "Se paga en la página del proveedor de pagos. Después se muestra el vale, para imprimirlo o enviarlo.",
    byLetter: "También le llega un enlace por correo electrónico.",
    none: "Este local no vende vales regalo en línea en este momento.",
    wrongAmount: (least, most) => `Escriba un importe de ${least} a ${most}.`,
    greetingWrong: "Escriba una línea de 200 caracteres como máximo.",
    tooMany: "Aquí se han empezado varios vales sin pagarlos. Inténtelo de nuevo dentro de una hora.",
    unavailable: "Ahora no se puede crear la página de pago. Inténtelo de nuevo dentro de unos minutos.",
    openTitle: "Aún sin pagar",
    open: "La página de pago sigue abierta.",
    goOn: "Continuar con el pago",
    processingTitle: "El pago se está tramitando",
    processing: "El vale estará aquí en cuanto llegue el pago. Abra entonces de nuevo esta página.",
    checkedTitle: "Se está revisando el pago",
    checked: "No es lo que se pidió. El local lo sabe y se pondrá en contacto.",
    overTitle: "No se ha pagado nada",
    over: "La página de pago está cerrada, así que no hay vale.",
    subject: "Su vale regalo",
    thanks: "Gracias. Esta es la página del vale, para imprimirlo o enviarlo.",
    openVoucher: "Abrir el vale",
    why: "Recibe esta carta porque se indicó esta dirección al comprar el vale."
  },
  receipt: {
    title: "Recibo",
    from: "De",
    taxNumber: "NIF",
    forWhom: "Para",
    bookedOn: "Reservado el",
    payments: "Pagos",
    date: "Fecha",
    payment: "Pago",
    paidBy: {
      cash: "Pago en efectivo",
      card: "Pago con tarjeta en el local",
      transfer: "Pago por transferencia",
      voucher: "Pago con vale"
    },
    refund: "Devolución",
    refundOpen: "Devolución en camino",
    refundWaits: "Devolución aún no enviada",
    causes: {
      late_payment: "Pagado cuando ya no quedaban plazas",
      cancellation: "Por la cancelación",
      duplicate_payment: "Pagado dos veces",
      dashboard: "Devuelto por el local",
      dispute: "Por el banco, tras una reclamación",
      move: "Pagado por encima del precio",
      goodwill: "Gesto comercial",
      misfit: "No era lo que se pidió"
    },
    nonePaid: "Todavía no se ha pagado nada.",
    left: "Queda por pagar",
    printed: "Para guardarlo, imprima esta página o guárdela en PDF.",
    notInvoice: "Si necesita una factura, pídala en el local."
  }
}
