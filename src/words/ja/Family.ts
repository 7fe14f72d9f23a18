/** Messages for families about their bookings, in Japanese. */
import type { Family } from "../en/Family.ts"
import { standingMessage } from "../Message.ts"

export const family: Family = {
  booking: {
    what: "内容",
    where: "場所",
    who: "人数",
    bookedBy: "予約者",
    notes: "ご要望",
    quantity: "数量",
    amount: "金額",
    lines: {
      children: "お子さま",
      extraChildren: "追加のお子さま",
      adults: "大人",
      extraAdults: "追加の大人",
      billedAs: (n) => `${n}名分の料金`,
      tax: (percent) => `税（${percent}）`,
      waived: "少額のため請求なし",
      agreed: "以前のお約束どおりの調整"
    },
    tax: (percent, amount, included) => `${included ? "うち" : "別途"}税（${percent}）：${amount}`,
    by: (when) => `${when}まで`,
    atVenue: "施設でのお支払い",
    terms: "ご予定が変わったとき",
    rules: "ご利用にあたって",
    questions: "お問い合わせ",
    payNote: "決済会社のページでお支払いいただき、その後このページに戻ります。",
    payBalance: (amount) => `残り${amount}を支払う`,
    calendar: "カレンダーに追加",
    calendarUpdate: "カレンダーを更新",
    disputed:
      "このご予約のお支払いについて、銀行で異議申し立てが審査されています。結果が出るまで、別途の返金は行われません。",
    unclear:
      "このご予約のお支払いを通常どおり記録できず、担当者が確認しています。内容に誤りがあるときは施設にお問い合わせください。",
    sentBack: (amount, arrived) =>
      `${amount}のお支払いはご請求どおりではなかったため、お支払いと同じ方法で${arrived ? "返金しました" : "返金されます"}。`,
    secret: "このページのアドレスを知っている人は、ご予約を見たり変更したりできます。他の人に教えないでください。",
    underWayTitle: "このご予約は変更の手続き中です",
    underWay: "このご予約の別の変更が進行中のため、何も行われていません。1分ほどしてからもう一度ご確認ください。",
    faults: {
      changed: "現在、ここでのお支払いはありません。ご予約の状況は次のとおりです。",
      stale: "ご覧になった後に内容が変わったため、請求は行われていません。ご予約の現在の状況は次のとおりです。",
      operator:
        "現在、施設はオンラインでのお支払いを受け付けられません。施設にお問い合わせください。請求は行われていません。",
      provider: "現在、お支払いページに接続できません。1分ほどしてからもう一度お試しください。請求は行われていません。"
    }
  },
  /** The page where a booking can be paid and nothing else. */
  payPage: {
    title: "ご予約のお支払い",
    /** Precedes the operator's name. */
    payee: "お支払い先",
    thenConfirmed: "お支払いが済むと、ご予約が確定します。",
    thenPaid: "これでお支払いはすべて完了します。"
  },
  cancel: {
    title: "この予約をキャンセルしますか？",
    nothingPaid: "お支払いがないため、返金はありません。",
    all: (refund) => `お支払いの全額、${refund}が返金されます。`,
    part: (refund, paid) => `お支払い済みの${paid}のうち、${refund}が返金されます。`,
    none: (paid) => `お支払い済みの${paid}は返金されません。`,
    wentBackBefore: (amount) => `${amount}は、すでに返金されています。`,
    nothingMore: "これ以上の返金はありません。",
    alreadyOnItsWay: (amount) => `${amount}は、すでに返金手続き中です。`,
    stillArrives: "この後にお支払いが届いた場合は、全額返金されます。",
    notAsked:
      "すでに返金された金額があるかどうか、決済会社に確認できませんでした。返金の前に確認し、その分は差し引かれます。",
    places: "お席はすぐにほかの方が予約できるようになります。この操作は取り消せません。",
    cancel: "予約をキャンセルする",
    keep: "予約をそのままにする",
    changed: "キャンセルは行われていません。ご覧になった後に変更がありました。現在の内容は次のとおりです。",
    begunTitle: "ご利用時間が始まっています",
    begun: "ここではもうキャンセルできません。"
  },
  move: {
    move: "日時を変更する",
    chooseDay: "別の日を選ぶ",
    chooseTime: "時間を選ぶ",
    now: (when) => `現在のご予約は${when}です。`,
    rule: (until) => `${until}までは、次の日時にご自身で変更できます。料金が変わる日時には、その料金を表示しています。`,
    times: { other: "#件" },
    noneIn: (month) => `${month}には、この人数で空きがありません。`,
    noneOn: (day) => `${day}には、この人数で空きがありません。`,
    months: "月",
    anotherDay: "別の日",
    title: "このご予約を変更しますか？",
    from: "変更前",
    to: "変更後",
    stays: (total) => `${total}のままです。`,
    waived: (amount) => `差額の${amount}は少額のため、お支払いいただきません。`,
    goodwill: (amount) => `お詫びとして${amount}が返金されています。これはそのままで、ここでは計算に含みません。`,
    instead: (total, before) => `${before}から${total}になります。`,
    more: (amount) => `これまでより${amount}高くなります。`,
    less: (amount) => `これまでより${amount}安くなります。`,
    nothingBack: "返金はありません。新しい料金を超えるお支払いがないためです。",
    counted: (when) => `キャンセル時の返金は${when}を基準に計算されます。変更しても増えません。`,
    confirm: "予約を変更する",
    anotherTime: "別の時間",
    changed: "変更されていません。ご覧になった後に内容が変わりました。現在の内容は次のとおりです。",
    tooMany:
      "変更されていません。その日は、無料またはお支払い前のご予約が上限に達しています。別の日を選ぶか、施設にお問い合わせください。",
    gone: "変更されていません。その日時は予約できなくなりました。次の日時が空いています。",
    sorryTitle: "現在ここでは変更できません",
    notFree: "ご予約の条件では、現在無料で変更できません。",
    begun: "ご利用時間が始まっています。",
    payment: "このご予約のお支払いが手続き中です。完了後、または30分ほどしてからもう一度お試しください。",
    refund: "返金の手続き中です。完了後にもう一度お試しください。",
    otherCurrency:
      "こちらの料金の通貨がご予約時と変わったため、日時を変更できません。キャンセルして予約し直すことができます。",
    notSold: "現在、ほかの日時は予約できません。"
  },
  access: {
    saidName: (name) => `「${name}」と名乗っています。`,
    unconfirmed: "相手が誰かは誰も確認していません。",
    bookedThrough: "予約に使われたアシスタント",
    ended: "このアシスタントの接続は終了しています。",
    end: "接続を終了する",
    title: (who) => `${who}の接続を終了しますか？`,
    lead: "終了すると、あなたの予約の確認、新しい予約、支払い用リンクの作成ができなくなります。もう一度使うには、接続し直してください。",
    joined: "ほかに接続しているアシスタント",
    since: (date) => `${date}から接続しています。`,
    mayChange: "このご予約の確認、変更、お支払いができます。",
    mayPay: "このご予約の確認とお支払いができます。",
    remove: "アクセスを解除する",
    removeTitle: (who) => `${who}のアクセスを解除しますか？`,
    removeLead: "解除すると、このご予約の確認、変更、お支払いができなくなります。",
    again:
      "このページのアドレスを知っている人は、もう一度アシスタントを接続できます。知られたくない人に知られている場合は、施設に新しいアドレスをお求めください。",
    another: "別のアシスタントで続けるには、ゲストとして接続し、求められたらこのページのアドレスを貼り付けてください。",
    stays: "ご予約とこのページは、そのまま残ります。"
  },
  terms: {
    nothingToPay: "お支払いはありません。",
    deposit: (amount, kept) => `予約金：${amount}${kept ? "（返金されません）" : ""}`,
    wentBack: (amount) => `${amount}は返金済みです。`,
    nothingBack: "お支払い後の返金はありません。",
    nothingMoreBack: "これ以上の返金はありません。",
    headcountBy: (when) => `お子さまの人数は、${when}まで予約ページでご自身で変更できます。`,
    growsBy: (when) => `人数は、${when}まで予約ページでご自身で増やせます。減らすことはできません。`,
    headcountFinal: "お子さまの人数は確定しています。",
    moveUntil: (when) => `${when}までは、無料で日時を変更できます。`,
    restAtVenue: "残額は施設でお支払いください。",
    releasedAt: (when) => `${when}までに残額のお支払いがない場合、お席は解放されます。`
  },
  standings: {
    to_pay: standingMessage(
      "お席を確保しています",
      ({ amount }) => `期限までに${amount}をお支払いいただくと、ご予約が確定します。`
    ),
    payment_failed: standingMessage(
      "お支払いができませんでした",
      "請求は行われていません。お席は引き続き確保していますので、もう一度お試しいただけます。"
    ),
    not_payable: standingMessage("お席を確保しています", ({ sent_back }) =>
      sent_back === ""
        ? "施設は現在、ここでお支払いを受け付けていません。期限までに施設へお問い合わせください。請求は行われていません。"
        : "施設は現在、ここでお支払いを受け付けていません。期限までに施設へお問い合わせください。"
    ),
    payment_processing: standingMessage(
      "お支払いを処理しています",
      "お支払い方法によっては数日かかります。入金が確認できるまでお席を確保していますので、何もしていただく必要はありません。"
    ),
    payment_under_review: standingMessage(
      "お支払いを確認しています",
      ({ in_question }) =>
        `ご請求と異なる${in_question}のお支払いがあり、担当者が確認しています。その間、お席は確保しています。もう一度お支払いにならないでください。`
    ),
    arriving: standingMessage(
      "お支払いを確認しています",
      "お支払いの期限は過ぎましたが、直前にお支払いいただいた可能性があります。1分ほどしてからもう一度ご確認ください。"
    ),
    free: standingMessage("ご予約が確定しました", "お支払いはありません。どうぞお楽しみください。"),
    paid: standingMessage("ご予約が確定しました", ({ comes_back, paid_back }) =>
      comes_back === "" && paid_back === ""
        ? "お支払いは完了しています。どうぞお楽しみください。"
        : "これ以上のお支払いはありません。どうぞお楽しみください。"
    ),
    confirmed_paid_back: standingMessage("お支払いは返金されました", ({ comes_back, paid_back }) =>
      comes_back === ""
        ? `${paid_back}を返金しましたが、ご予約はキャンセルされていません。予定どおりご利用いただけるか、施設にお問い合わせください。もう一度お支払いいただく必要はありません。`
        : `${comes_back}は返金されますが、ご予約はキャンセルされていません。予定どおりご利用いただけるか、施設にお問い合わせください。もう一度お支払いいただく必要はありません。`
    ),
    balance_due: standingMessage("ご予約が確定しました", ({ amount, online, until }) =>
      online
        ? `残り${amount}を${until}までにお支払いください。`
        : until === ""
          ? `残り${amount}は、ご来場の際に施設でお支払いください。`
          : `残り${amount}を${until}までに施設でお支払いください。このページではお支払いできません。`
    ),
    balance_overdue: standingMessage("ご予約が確定しました", ({ amount, online, until }) =>
      online
        ? `残り${amount}のお支払い期限（${until}）が過ぎています。今すぐお支払いください。`
        : `残り${amount}のお支払い期限（${until}）が過ぎています。施設でお支払いください。`
    ),
    balance_processing: standingMessage(
      "ご予約が確定しました",
      ({ amount }) => `${amount}のお支払いを処理しています。何もしていただく必要はありません。`
    ),
    confirmed_under_review: standingMessage(
      "ご予約が確定しました",
      ({ in_question }) =>
        `ご請求と異なる${in_question}のお支払いがあり、担当者が確認しています。もう一度お支払いにならないでください。`
    ),
    over: standingMessage("ご利用は終了しました", ({ amount }) =>
      amount === ""
        ? "ご利用ありがとうございました。"
        : `ご利用ありがとうございました。残り${amount}のお支払いについては施設にお問い合わせください。`
    ),
    did_not_come: standingMessage("ご来店がありませんでした", ({ amount }) =>
      amount === ""
        ? "施設の記録ではご来店がなかったことになっています。誤りがありましたら施設にお問い合わせください。"
        : `施設の記録ではご来店がなかったことになっています。残り${amount}のお支払いがまだです。誤りがありましたら施設にお問い合わせください。`
    ),
    released: standingMessage("お席は解放されました", ({ comes_back, in_question, paid, paid_back }) => {
      const lead = "期限までに残額のお支払いがなかったため、ご予約の条件に従ってお席を解放しました。"
      if (in_question !== "") return `${lead}ご請求と異なる${in_question}のお支払いがあり、担当者が確認しています。`
      if (comes_back !== "") return `${lead}${comes_back}は返金されます。`
      if (paid_back !== "") return `${lead}${paid_back}を返金しました。`
      return paid === "" ? lead : `${lead}お支払い済みの${paid}は返金されません。`
    }),
    expired: standingMessage("ご予約の期限が切れました", ({ sent_back }) =>
      sent_back === ""
        ? "期限までにお支払いがなかったため、お席の確保は終了しました。請求は行われていません。"
        : "期限までにお支払いがなかったため、お席の確保は終了しました。"
    ),
    expired_under_review: standingMessage(
      "ご予約の期限が切れました",
      ({ in_question }) =>
        `ご請求と異なる${in_question}のお支払いがあり、担当者が確認しています。お席がまだ空いていればご予約が確定し、空いていなければ返金されます。`
    ),
    expired_processing: standingMessage(
      "ご予約の期限が切れました",
      "期限後のお支払いを処理しています。入金時に席が空いていればご予約が確定し、空いていなければ返金されます。"
    ),
    expired_going_back: standingMessage("ご予約の期限が切れました", ({ comes_back }) =>
      comes_back === ""
        ? "席が埋まった後にお支払いが届いたため、返金されます。"
        : `席が埋まった後にお支払いが届いたため、${comes_back}は返金されます。`
    ),
    expired_paid_back: standingMessage(
      "ご予約の期限が切れました",
      ({ paid_back }) => `席が埋まった後にお支払いが届いたため、${paid_back}を返金しました。`
    ),
    cancelled: standingMessage("ご予約はキャンセルされました", ({ sent_back }) =>
      sent_back === "" ? "お支払いはなく、請求もありません。" : "お支払いいただくものはありません。"
    ),
    cancelled_kept: standingMessage(
      "ご予約はキャンセルされました",
      ({ paid }) => `ご予約の条件により、お支払い済みの${paid}の返金はありません。`
    ),
    cancelled_under_review: standingMessage(
      "ご予約はキャンセルされました",
      ({ in_question }) => `ご請求と異なる${in_question}のお支払いがありました。担当者が確認し、返金されます。`
    ),
    cancelled_processing: standingMessage(
      "ご予約はキャンセルされました",
      "処理中のお支払いがあります。入金され次第、返金されます。"
    ),
    cancelled_going_back: standingMessage("ご予約はキャンセルされました", ({ comes_back }) =>
      comes_back === "" ? "お支払いは返金されます。" : `${comes_back}は返金されます。`
    ),
    cancelled_paid_back: standingMessage(
      "ご予約はキャンセルされました",
      ({ paid_back }) => `${paid_back}を返金しました。`
    )
  },
  afterPaying: {
    arrived: (amount) => `${amount}のお支払いを確認しました。`,
    waiting: {
      title: "お支払いを確認しています",
      lead: "決済会社からまだお支払いの連絡がありません。通常は数秒かかります。"
    },
    looksByItself: "このページは自動的に更新されます。",
    onItsWay: (amount) => `${amount}のお支払いが始まりましたが、まだ入金されていません。`,
    notPaid: "お支払いは済んでいません。請求は行われていません。",
    failed: "お支払いができませんでした。請求は行われていません。",
    closed: "支払いページは閉じられ、請求は行われていません。",
    late: "アシスタントに、もう一度予約するよう頼んでください。この後にお支払いが届いた場合、お席が空いていれば予約が確定し、空いていなければ返金されます。",
    notNeeded: (amount) =>
      `${amount}のお支払いは、すでにお支払いが済んだ後、またはご予約の変更後に届きました。このお支払いは計上されず、ご予約はそのままです。`,
    wentBack: "お支払い時と同じ方法で返金されました。",
    underReview: (amount) =>
      `${amount}のお支払いが届きましたが、ご請求と異なります。担当者が確認しており、結果はご予約のページに表示されます。もう一度お支払いにならないでください。`,
    payAgain: "支払いページへ進む",
    linkRenewed:
      "支払いページを開いた後に、ご予約のページのアドレスが変わりました。アシスタントまたは施設にお尋ねください。",
    linkGiven: "ご予約のページは、予約時にお知らせしたリンクから開けます。",
    unavailable: {
      title: "現在確認できません",
      lead: "お支払いは決済会社で安全に扱われています。状況を問い合わせることができませんでした。"
    },
    unknown: {
      title: "支払いページからお戻りになりました",
      lead: "このアドレスに該当する予約はありません。",
      more: "ご予約の状況はアシスタントにお尋ねください。お支払いが届いたかどうかを確認できます。"
    },
    closing: "このページを閉じて、アシスタントに戻ってください。"
  }
}
