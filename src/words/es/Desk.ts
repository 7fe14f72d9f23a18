/** Messages of the desk, in Spanish. */
import type { Desk } from "../en/Desk.ts"

export const desk: Desk = {
  desk: {
    title: "Recepción",
    signInTitle: "Entrar en la recepción",
    signInLead: "Con la clave de acceso de este dispositivo o de su teléfono.",
    signIn: "Entrar con una clave de acceso",
    needsScript: "Las claves de acceso necesitan JavaScript, que está desactivado en este navegador.",
    otherDevice: "Usar otro dispositivo",
    passkeyFaults: {
      insecure:
        "Esta página llegó sin cifrar, y los navegadores solo usan claves de acceso en páginas cifradas. Siga aquí:",
      elsewhere:
        "Las claves de acceso solo funcionan en la dirección de la recepción, y esta página está en otra. Siga aquí:",
      noBrowser:
        "Este navegador no tiene claves de acceso. Las ventanas dentro de otras aplicaciones no suelen tenerlas: abra esta dirección en Safari, Chrome, Edge o Firefox.",
      notUsed:
        "No se ha usado ninguna clave de acceso: se cerró la ventana, pasó demasiado tiempo o aquí no hay ninguna para esta recepción. Inténtelo de nuevo; si su clave está en un teléfono o en una llave de seguridad, elija «Usar otro dispositivo».",
      notMade:
        "No se ha creado ninguna clave de acceso: se cerró la ventana o pasó demasiado tiempo. Inténtelo de nuevo: este enlace sigue valiendo.",
      notHere:
        "En ese dispositivo o llave de seguridad no hay ninguna clave de acceso para esta recepción. Use aquel en el que la creó.",
      already: "Ya tiene en este dispositivo una clave de acceso, que sigue valiendo. Este enlace queda sin usar.",
      noPin:
        "Esa llave de seguridad o ese dispositivo no comprobó quién es usted. Ponga en sus ajustes un PIN, una huella o un bloqueo de pantalla e inténtelo de nuevo, o use otro dispositivo.",
      unable: "Este navegador o dispositivo no puede hacerlo con claves de acceso. Actualícelo o use otro dispositivo.",
      device: "El dispositivo o el navegador comunicó un fallo. Inténtelo de nuevo, reinícielo o use otro dispositivo.",
      offline: "No se pudo llegar al servicio. Compruebe la conexión e inténtelo de nuevo.",
      late: "Esta página ha estado abierta demasiado tiempo o ya se envió. Inténtelo de nuevo.",
      unknown:
        "Esta recepción no conoce esa clave de acceso. Si antes funcionaba, se anuló aquí: pida un enlace nuevo a un responsable.",
      copied:
        "Esa clave de acceso se rechazó: se ha usado menos veces de las que se cuentan aquí, como si se hubiera copiado. Pida a un responsable que la anule y le dé un enlace nuevo.",
      unreadable:
        "Lo que envió el navegador no es la respuesta de una clave de acceso para esta recepción. Inténtelo de nuevo o use otro navegador."
    },
    inviteAgain:
      "Si ya no tiene ninguna clave de acceso, pida ayuda a un responsable de su recepción: con un enlace nuevo entrará en unos minutos.",
    invitationTitle: (operator) => `Recepción de ${operator}`,
    invitationLead: (name) =>
      `Hola, ${name}. Cree una clave de acceso en este dispositivo: con ella entrará a partir de ahora. Este enlace solo funciona una vez.`,
    makePasskey: "Crear una clave de acceso",
    signedInAs: (name) => `Sesión de ${name}`,
    signOut: "Salir",
    search: "Nombre, correo, número de reserva o teléfono",
    find: "Buscar",
    foundTitle: (words) => `Búsqueda: ${words}`,
    found: { one: "# reserva", other: "# reservas" },
    nothingFound: "Ninguna reserva coincide.",
    moreFound: "Hay más. Añada una palabra o indique el número de reserva.",
    searchedSince: (date) => `Se han buscado las reservas desde el ${date}.`,
    searchBefore: "Buscar en las anteriores",
    dayToShow: "Día",
    showDay: "Mostrar",
    toDay: "Volver al día",
    now: (time) => `Ahora: ${time}`,
    byHour: "Niños por hora",
    visits: "Visitas",
    toCollect: "Pendiente de pago ese día",
    room: "Sala",
    contact: "Contacto",
    marks: { arrived: "Han llegado", no_show: "No han venido" },
    undo: (mark) => `Deshacer «${mark}»`,
    notMarked: "Entretanto hay otra anotación, o ahora no se puede anotar. No se ha cambiado nada.",
    managersTitle: "Solo puede hacerlo un responsable",
    managersOnly: "Pregunte a un responsable de su local. No se ha cambiado nada.",
    toBooking: "Volver a la reserva",
    goOn: "Continuar",
    moreBookings: "Más reservas",
    toList: "Volver a la lista",
    changed: "No se ha hecho nada: algo ha cambiado desde que lo miró. Así está ahora.",
    since: "Desde que abrió la página:",
    byFamily: "por la familia",
    amountIn: (currency) => `Importe en ${currency}`,
    amountWrong: (example) => `Indique un importe como ${example}.`,
    amountSteps: (step) => `En esta moneda solo son posibles importes en pasos de ${step}.`,
    reason: "Motivo",
    reasonHint: "Queda en el historial de la reserva, que la familia puede leer.",
    reasonNeeded: "Indique un motivo: no es lo que dicen las condiciones.",
    partyErrors: {
      children: (least, most) => `El paquete es para entre ${least} y ${most} niños.`,
      ageRange: (from, to) => `Esta sala es para niños de ${from} a ${to} años.`
    },
    book: {
      code: "Código, si la familia tiene uno",
      noCode: "Ese código no vale para esta visita: corríjalo o déjelo vacío.",
      title: "Nueva reserva",
      choose: "Elija la sala y lo que se reserva.",
      nothing: "Ahora no se puede reservar nada en sus salas.",
      modes: { exclusive: "Toda la sala", shared: "Plazas de juego libre" },
      times: "Ver horas libres",
      chooseDay: "Elegir un día",
      noneIn: (month) => `No hay nada libre en ${month} para este grupo.`,
      noneOn: (day) => `No hay nada libre el ${day} para este grupo.`,
      another: "Reservar otra cosa",
      who: "¿Para quién es la reserva?",
      emailHint:
        "Allí se comunica lo que se confirma, cambia o queda por pagar, y con ella la familia vuelve a encontrar la reserva. Puede quedar vacía si se paga aquí y ahora.",
      wrong: "No se ha reservado nada. Revise lo que está marcado.",
      check: "¿Reservar así?",
      confirm: "Reservar",
      edit: "Cambiar algo",
      free: "Ahora no hay nada que pagar: la reserva queda confirmada al momento.",
      how: "¿Cómo se paga?",
      which: "Indique cómo se paga.",
      link: "En línea, en la página de la familia",
      held: (until) =>
        `Si se paga en línea, las plazas quedan retenidas hasta ${until}, y más tiempo mientras alguien esté pagando. Si se paga en el local, la reserva queda confirmada al momento.`,
      howMuch: "Si es en el local: ¿cuánto se paga ahora?",
      due: (amount) => `Lo que se paga ahora: ${amount}`,
      all: (amount) => `Todo: ${amount}`,
      tooMany:
        "No se ha reservado nada: hay demasiadas reservas sin pagar con esta dirección de correo o hechas en esta recepción."
    },
    walkIn: {
      title: "Sin reserva",
      name: "Sin reserva",
      lead: "¿Cuántos niños vienen? El precio se ve antes de venderla.",
      begun: "Ya ha empezado",
      none: "Aquí y ahora no se puede vender nada.",
      sold: (what: string) => `Vendido: ${what}.`
    },
    family: {
      title: "Enlace para la familia",
      lead: "Léalo en voz alta o cópielo. Quien lo tenga puede pagar, cambiar y cancelar la reserva.",
      mailed: (email) => `Al reservar se envió también a ${email}.`,
      send: (email) => `Enviarlo a ${email}`,
      sent: (email) => `Va de camino a ${email}.`
    },
    pay: {
      title: "Anotar un pago",
      way: "¿Cómo se pagó?",
      whichWay: "Indique cómo se pagó.",
      confirm: "Anotar el pago",
      left: "Quedará por pagar",
      confirms: "Con ello la reserva queda confirmada.",
      pages: "Se cierran las páginas en las que se podía pagar lo mismo en línea.",
      nothing: "Ahora no hay nada que pagar por esta reserva.",
      more: (owed) => `No se deben más de ${owed}.`,
      less: (due) => `Las plazas solo están retenidas: ahora hay que pagar al menos ${due}.`,
      processing: "Se está procesando un pago en línea. Espere a que llegue o falle."
    },
    voucher: {
      online: "En línea",
      title: "Vales regalo",
      pay: "Pagar con un vale",
      rest: "¿Cómo se paga el resto?",
      later: "Ahora no",
      less: (due) =>
        `Las plazas solo están reservadas de forma provisional, y faltan ${due} por pagar ahora: indique cómo se pagan.`,
      sell: "Vender un vale",
      lead: "Lo que cobra por un vale lo debe. Es un ingreso cuando se paga una reserva con él.",
      until: "Último día en que es válido",
      untilHint: "Déjelo vacío si no caduca.",
      untilWrong: "Elija un día futuro, dentro de los próximos diez años.",
      value: "Valor",
      sold: "Vendido",
      look: "Buscar un vale",
      show: "Mostrarlo",
      print: "Abrirlo, para imprimirlo o copiar su dirección",
      latest: "Últimos vendidos",
      none: "Todavía no se ha vendido ningún vale.",
      undo: "Anular la venta: fue un error",
      undone: "La venta se anuló.",
      kept: "La venta no se puede anular: se pagó algo con el vale, o ha caducado."
    },
    undoPay: {
      title: "Anular un pago anotado por error",
      confirm: "Anular el pago",
      which: "¿Qué pago se anotó por error?",
      nothing:
        "Aquí no se puede anular ningún pago hecho en el local: ya se devolvió algo, la reserva ya no está vigente o la visita fue hace tiempo.",
      noRefund:
        "No se devuelve nada: se hace constar que ese dinero no se pagó por esta reserva, que sigue confirmada.",
      books: "En las cifras del mes, el pago queda en su día y se descuenta hoy."
    },
    returned: {
      todo: (amount) => `Hay que devolver ${amount} en el local`,
      how: "¿Cómo se devolvió?",
      ways: { cash: "en efectivo", card: "en la tarjeta", transfer: "por transferencia", voucher: "en el vale" },
      done: "Ya se ha devuelto"
    },
    unclear:
      "Un pago de esta reserva no se pudo registrar como de costumbre. Si algo le parece incorrecto, pregunte a quien opera este servicio para usted.",
    back: {
      title: "Devolver un importe",
      confirm: "Devolverlo",
      nothing: "No queda nada de lo que se pagó.",
      tooMuch: (left) => `De lo pagado no quedan más de ${left}.`,
      byHand: (amount) =>
        `${amount} no se pagaron en línea: devuélvalos directamente a la familia. Lo que se pagó con un vale vuelve solo al vale.`,
      before: (amount) => `Ya se devolvieron ${amount}, y se tienen en cuenta.`,
      disputed: (amount) => `${amount} están en disputa. Antes de que se resuelva no se devuelve nada.`,
      blocked: (amount) =>
        `${amount} no se pueden devolver hasta que su cuenta en el proveedor de pagos vuelva a aceptar pagos. Entonces se envían solos.`,
      notAsked:
        "No se pudo preguntar al proveedor qué se había devuelto ya. Se le preguntará antes de devolver, y entonces puede ser menos.",
      stays: "La reserva sigue como está."
    },
    cancel: {
      title: "Cancelar la reserva",
      confirm: "Cancelarla ahora",
      refund: "¿Qué se devuelve?",
      byTerms: "Lo que dicen las condiciones",
      full: "Todo lo que queda de lo pagado",
      none: "Nada",
      part: "Este importe:",
      ended: "Esta reserva ya ha terminado.",
      places: "Las plazas quedan libres enseguida. No se puede deshacer."
    },
    change: {
      title: "Cambiar el grupo",
      confirm: "Cambiar la reserva",
      same: "Ya está así.",
      notConfirmed: "Aún no está confirmada: primero hay que pagar lo pendiente.",
      begun: "La visita ha empezado.",
      payment: "Hay un pago en línea abierto o en curso. Inténtelo cuando haya llegado o dentro de media hora.",
      refund: "Hay una devolución en camino. Inténtelo cuando haya llegado.",
      reasonNeeded: "Las condiciones ya no lo permiten: indique un motivo.",
      closed: "El local está cerrado a esa hora.",
      notSold: "Así no se puede reservar: cancele la reserva y haga otra.",
      taken: "Ese horario no está disponible.",
      nearest: (starts) => `Los más cercanos: ${starts}.`
    },
    move: {
      title: "Cambiar fecha u hora",
      confirm: "Cambiarla",
      date: "Nuevo día",
      time: "Nueva hora de inicio",
      when: "Indique un día y una hora.",
      room: "Sala y paquete",
      none: "No se puede mover a esa sala: elija de nuevo.",
      without: (extras) => `Allí no se ofrece así y se pierde: ${extras}.`
    },
    closing: {
      title: "Bloquear un horario",
      lead: "Desde ahora no se podrá reservar nada más en ese tiempo. Lo que ya está reservado sigue reservado.",
      outOfOrder: "Fuera de servicio",
      all: "Todas las salas",
      from: "Primer día",
      to: "Último día",
      toHint: "Vacío: el mismo día.",
      starts: "De",
      ends: "A",
      timesHint: "Deje vacías las dos horas para días enteros.",
      managersDays: "Solo un responsable cierra días enteros: indique las dos horas.",
      reasonHint: "En pocas palabras. Las familias pueden leerlo.",
      wrong: "Aún no se ha bloqueado nada: revise lo que está marcado.",
      timesWrong:
        "Indique un día, y las dos horas o ninguna. El final debe ser posterior al comienzo, como máximo dos años después.",
      reasonWrong: "Indique el motivo en pocas palabras.",
      problems: {
        no_playroom: "Esa sala no existe.",
        no_stock: "Ese extra no existe, o no hay tantos.",
        too_many_playrooms: "Son demasiadas salas a la vez: elija una.",
        over: "Ese tiempo ya ha pasado.",
        no_time: "Esa hora no existe por el cambio de hora.",
        too_many: "Ya hay demasiados horarios bloqueados en esa sala: reabra los que ya no hagan falta."
      },
      checkTitle: "¿Bloquear este horario?",
      inside: { one: "Hay # reserva en este horario.", other: "Hay # reservas en este horario." },
      nobody: "No hay nada reservado en ese horario.",
      stays: "Lo reservado sigue en pie y tiene lugar, salvo que lo cambie o lo cancele.",
      list: "Después aparecerán en la página «Por decidir», para cambiarlas o cancelarlas, una a una o todas a la vez.",
      more: (n: number) => `Y ${n} más.`,
      confirm: "Bloquear ahora",
      upcoming: "Cierres a partir de ahora",
      furtherTimes: "Más cierres",
      by: (name: string) => `por ${name}`,
      ofFile: "por el catálogo",
      reopen: "Reabrir",
      reopenTitle: "¿Reabrir este horario?",
      reopenLead: "Se podrá reservar de nuevo enseguida, salvo que otro cierre lo cubra."
    },
    closed: {
      title: "Por decidir",
      lead: "Estas reservas caen mientras está cerrado, o tienen más plazas o extras de los que hay ahora. Tendrán lugar si no se cambian ni se cancelan.",
      none: "No hay nada que decidir: ninguna reserva cae mientras está cerrado ni tiene más de lo que hay.",
      who: "Nombre",
      because: "Motivo",
      only: (of, units) => `${of}: ahora solo ${units}`,
      what: "Qué se hace",
      cancel: "Cancelar y devolverlo todo",
      keep: "Mantener",
      write: "Mantener y escribirles",
      writeAll: { one: "Escribir a esta familia", other: "Escribir a estas # familias" },
      words: "Su mensaje",
      wordsHint: "Lo reciben por correo, con el enlace de su reserva, tal como usted lo escriba aquí.",
      noWords: "Escriba lo que deben saber.",
      notWritten: "no se le puede escribir: sin confirmar, ya pasada o sin correo",
      giveBack: "Quitar el extra y devolver su precio",
      swapFor: "Cambiar por otro extra",
      swapPays: "Cambiar, y la familia paga la diferencia",
      costsMore: (amount) => `Ese extra cuesta ${amount} más. Elija otro, o que la familia pague la diferencia.`,
      broken: (of, why) => `${of}, fuera de servicio: ${why}`,
      moveTo: "Cambiar al",
      money: "Dinero",
      twice: "Otras de estas ocupan la sala o un extra a esa hora: elija otra hora.",
      told: "Las familias cuya reserva confirmada se cambia o se cancela reciben un correo que dice qué ha cambiado.",
      notTold: "No se envían correos: avise usted a las familias.",
      all: { one: "Cancelar esta reserva", other: "Cancelar estas # reservas" },
      planTitle: "¿Es correcto?",
      nothingChosen: "No se eligió nada, o ya no hay nada que decidir.",
      cant: "ahora no se puede",
      inAll: "Devolución total",
      byHand:
        "Lo que se pagó en el local se devuelve allí en mano, y lo que se pagó con un vale vuelve al vale: cada reserva lo indica después.",
      confirm: { one: "Hacerlo ahora con # reserva", other: "Hacerlo ahora con # reservas" },
      changed: "No se ha hecho nada: no es lo que mostraba la página anterior.",
      doneTitle: "Hecho",
      nothingDone: "No se ha hecho nada.",
      done: {
        cancelled: { one: "Se ha cancelado # reserva.", other: "Se han cancelado # reservas." },
        moved: {
          one: "Se ha cambiado # reserva de hora o de sala.",
          other: "Se han cambiado # reservas de hora o de sala."
        },
        givenBack: {
          one: "Se devuelve el precio del extra de # reserva.",
          other: "Se devuelve el precio de los extras de # reservas."
        },
        swapped: { one: "# reserva tiene otro extra.", other: "# reservas tienen otros extras." },
        written: {
          one: "Se ha escrito a # familia; su reserva se mantiene.",
          other: "Se ha escrito a # familias; sus reservas se mantienen."
        }
      },
      gone: {
        one: "En # más ya no había nada que decidir, y se ha dejado como está.",
        other: "En # más ya no había nada que decidir, y se han dejado como están."
      },
      left: "Estas han cambiado desde la página anterior o no se pudo hacer. Se han dejado como están:",
      notAll: "Aún no están todas. «Continuar» sigue con las demás."
    },
    people: {
      title: "Quién trabaja aquí",
      lead: "Estas personas entran en esta recepción.",
      name: "Nombre",
      you: "(usted)",
      nameHint: "Así nombrará a la persona el historial de las reservas.",
      nameWrong: "Indique un nombre de 80 caracteres como máximo.",
      role: "Función",
      roles: { desk: "Recepción", manager: "Responsable" },
      roleMeans: {
        desk: "El trabajo del día: visitas, reservas, pagos.",
        manager: "También cerrar días, devolver dinero, las cifras del mes y quién trabaja aquí."
      },
      passkeys: "Claves de acceso",
      signedIn: "Última entrada",
      invitedUntil: "Invitación hasta",
      change: "Cambiar",
      invite: {
        title: "Invitar a alguien",
        confirm: "Invitar",
        wrong: "No se ha invitado a nadie. Revise lo que está marcado.",
        taken: "Ya hay alguien con este nombre en la lista. Para otra clave de acceso, elija allí «Nueva invitación»."
      },
      again: {
        title: "Nueva invitación",
        lead: "Con el enlace nuevo la persona crea una clave de acceso y entra.",
        works:
          "El enlace vale una sola vez: 30 minutos si la persona ya ha entrado aquí, si no, tres días. Un enlace anterior deja de valer.",
        passkeys: {
          legend: "Las claves de acceso de hasta ahora",
          ends: {
            label: "Anularlas ya",
            means:
              "El dispositivo se ha perdido, lo han robado o ya no es de la persona. También se cierran todas sus sesiones.",
            own: "El dispositivo se ha perdido, lo han robado o ya no es suyo. También se cierran sus sesiones, menos esta."
          },
          stays: {
            label: "Siguen valiendo",
            means: "La persona solo recibe una más, por ejemplo en un teléfono nuevo."
          }
        },
        withdraw: "Anular la invitación abierta",
        confirm: "Crear la invitación"
      },
      address: {
        title: (name) => `Invitación para ${name}`,
        lead: (name) =>
          `Entregue esta dirección solo a ${name}: quien la abra primero crea una clave de acceso y entra como ${name}.`,
        once: "Solo funciona una vez y solo se muestra ahora."
      },
      newRole: {
        link: "Cambiar la función",
        title: (name) => `Nueva función de ${name}`,
        lead: "Vale al momento, también donde la persona ya ha entrado. Las claves de acceso y una invitación abierta se mantienen.",
        confirm: "Cambiarla",
        self: "No puede cambiar su propia función: debe hacerlo otro responsable."
      },
      remove: {
        link: "Quitar",
        title: (name) => `¿Quitar a ${name}?`,
        lead: "Se cierran al momento todas las sesiones de la persona, ya no puede entrar, y una invitación abierta deja de valer.",
        stays: "El historial sigue nombrando lo que hizo esta persona. Para volver necesita otra invitación.",
        confirm: "Quitar ahora",
        self: "No puede quitarse a sí mismo: debe hacerlo otro responsable."
      }
    },
    month: {
      title: "Cifras del mes",
      month: "Mes",
      show: "Mostrar",
      before: "Mes anterior",
      after: "Mes siguiente",
      nothing: "En ese tiempo no se pagó ni se devolvió nada.",
      ofYear: { title: "Cifras del año", show: "Todo el año", before: "Año anterior", after: "Año siguiente" },
      tooMany: "Son demasiadas líneas para un archivo: elija un mes o pídalo a quien gestiona este servicio.",
      sums: {
        payment: "Pagado en línea",
        refund: "Devuelto en línea",
        dispute: "Disputas",
        fee: "Otras comisiones",
        other: "Ajeno a estas reservas",
        platform_fee: "Comisiones de la plataforma",
        provider_fee: "Comisiones del proveedor de pagos",
        net: "Neto, en línea",
        payout: "Abonado en su cuenta",
        venue_payment: "Pagado en el local",
        venue_refund: "Devuelto en el local",
        voucher_sold: "Vales vendidos (los debe usted)",
        voucher_payment: "Pagado con vales",
        voucher_refund: "Devuelto a vales",
        voucher_expired: "Vales caducados sin gastar"
      },
      vouchersOwed: "Pendiente de los vales al final, o ahora",
      taxes: "Por tipo de impuesto",
      rate: "Tipo",
      withTax: "Con impuestos",
      tax: "Impuesto",
      withoutTax: "Sin impuestos",
      codes: "Códigos de las reservas hechas entonces",
      code: "Código",
      uses: "Reservas",
      takenOff: "Descuento",
      own: "Según las reservas de aquí. No incluye las comisiones ni los abonos del proveedor de pagos.",
      provider: "Según el registro del proveedor de pagos; lo pagado en el local, según las reservas de aquí.",
      download: "Descargar para una hoja de cálculo (Excel)",
      downloadCsv: "Descargar en CSV",
      compare: "Con las comisiones y los abonos del proveedor",
      agrees: "Todos los importes coinciden con el registro del proveedor de pagos.",
      differs: (lines) =>
        `Diferencias con el registro del proveedor de pagos: ${lines}. Pida al responsable de este servicio que las revise.`,
      away: "El proveedor de pagos no respondió a tiempo. Estas son las cifras según las reservas de aquí."
    },
    till: {
      title: "La caja",
      drawer: "Debería haber en el cajón",
      drawerMeans: "Lo cobrado en efectivo menos lo devuelto en efectivo ese día, aparte del fondo de cambio.",
      byWay: "Por forma de pago",
      byPerson: "Por persona",
      way: "Cómo",
      taken: "Cobrado",
      back: "Devuelto o anulado",
      sum: "En total",
      who: "Quién",
      none: (day: string) => `No se cobró ni se devolvió nada en el local: ${day}.`
    },
    waits: {
      lead: { one: "# familia espera.", other: "# familias esperan." },
      none: "No espera nadie.",
      since: "Espera desde",
      remove: "Quitar"
    },
    owed: {
      title: "Pagos pendientes",
      lead: { one: "Queda algo por pagar en # reserva.", other: "Queda algo por pagar en # reservas." },
      none: "No hay nada pendiente.",
      who: "Nombre",
      amount: "Por pagar",
      due: "Vence",
      overdue: "vencido",
      atVenue: "en el local",
      over: "la visita ya ha terminado",
      processing: "hay un pago en curso",
      sum: "En total",
      fromStart: "Al principio de la lista"
    },
    history: "Historial",
    unusual: "Poco habitual, y solo ustedes pueden permitirlo:",
    exceptions: {
      ages: "Una edad para la que la sala no está pensada",
      party_too_small: "Menos niños de los que admite el paquete",
      party_too_large: "Más niños o adultos de los que admite el paquete",
      too_soon: "Más tarde de lo que aceptan reservas",
      too_far_ahead: "Antes de lo que aceptan reservas"
    },
    events: {
      exception: "Excepción hecha",
      held: "Retenida",
      confirmed: "Confirmada",
      paid: "Pagada",
      balance_paid: "Resto pagado",
      payment_failed: "Pago fallido",
      paid_late: "Pagada con retraso",
      changed: "Grupo cambiado",
      moved: "Trasladada",
      kept: "Se mantiene",
      arrived: "Han llegado",
      arrived_undone: "Anotación «han llegado» retirada",
      no_show: "No han venido",
      no_show_undone: "Anotación «no han venido» retirada",
      payment_in_question: "Pago en comprobación",
      payment_taken: "Pago aceptado tal cual",
      payment_sent_back: "Pago devuelto",
      paid_at_venue: "Pagado en el local",
      paid_by_voucher: "Pagado con vale",
      payment_undone: "Pago anulado",
      goodwill: "Importe devuelto",
      cancelled: "Cancelada",
      hold_expired: "No pagada a tiempo",
      balance_lapsed: "Resto no pagado a tiempo",
      refunded: "Devuelta",
      refund_failed: "Devolución fallida",
      disputed: "Pago en disputa",
      answered: "Preguntas respondidas",
      link_sent: "Enlace enviado",
      written_to: "Mensaje enviado",
      link_renewed: "Enlace renovado",
      clock_followed: "Hora conservada",
      person_erased: "Nombre borrado"
    }
  }
}
