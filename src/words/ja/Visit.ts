/** Messages around a visit: deadlines, calendars, the invitation and the receipt, in Japanese. */
import type { Visit } from "../en/Visit.ts"

export const visit: Visit = {
  deadlines: {
    left: (duration) => `残り${duration}`,
    lessThanAMinute: "残り1分未満",
    over: "期限が過ぎました。ページを再読み込みしてください。",
    until: (moment) => `${moment}まで`,
    untilToday: (time) => `${time}まで`,
    yours: (time) => `（お手元の時刻では${time}）`,
    local: "日時はすべて施設の現地時間です。"
  },
  page: {
    payTogether: (several, amount) => `${several}件をまとめて支払う（${amount}）`,
    eachAlone: "変更、キャンセルは、それぞれの予約ごとに行います。",
    bookAgain: "もう一度予約する",
    bookAgainHow:
      "アシスタントに別の日時をお尋ねください。お使いでない場合は、ここで予約できるアシスタントをご覧いただくか、施設へお問い合わせください。",
    assistants: "予約できるアシスタント",
    suspended: "この施設は現在、ここで新しい予約を受け付けていません。お客様のご予約はそのまま有効です。",
    moved: (from) => `ご予約の日時が変更されました。変更前：${from}。カレンダーに登録済みの場合は、更新してください。`,
    otherRoom: (now, before) =>
      `ご利用の部屋が変更されました。変更後：${now}。変更前：${before}。カレンダーに登録済みの場合は、更新してください。`,
    payTo: (operator) => `お支払い先は${operator}です。決済会社のページでお支払い後、このページに戻ります。`,
    kept: "施設が受領した金額",
    byTerms: (when, amount) => `${when}にキャンセルされました。規定により、その時点の返金額は${amount}です。`,
    byTermsNothing: (when) => `${when}にキャンセルされました。規定により、その時点での返金はありません。`,
    map: "地図",
    directions: "経路",
    moveInstead: (until) => `キャンセルせずに、${until}までは日時を変更することもできます。`,
    earlier: "新しい日時は今より早いため、キャンセルの期限も早まり、元には戻りません。",
    earlierMoney: (now, then) => `今キャンセルすると返金は${now}ですが、変更後は${then}になります。`
  },
  refundTable: {
    caption: "キャンセル時の返金",
    until: "期限",
    ofPaid: (sum) => `お支払い済みの${sum}のうち`,
    ofDueNow: (sum) => `${sum}のお支払い後`,
    ofAll: (sum) => `全額${sum}のお支払い後`,
    nothing: "なし",
    afterwards: "それ以降"
  },
  calendars: {
    google: "Googleカレンダー",
    outlook: "Outlook.com"
  },
  invitation: {
    share: "ゲストを招待する",
    shareLead:
      "このリンクをゲストにお送りください。場所と日時だけが表示され、料金、お名前、ご要望は表示されません。ゲストは参加の返事だけができ、何も変更できません。",
    shareOpen: "招待状を見る",
    title: "ご招待",
    ask: "ご不明な点は、招待した方にお尋ねください。",
    come: "参加します",
    childName: "お子さまのお名前（名のみ）",
    allergies: "食べられないもの",
    allergiesHint: "アレルギーなど。なければ空欄にしてください。",
    whoSees: "この内容は、招待した方と施設に表示されます。ほかのゲストには表示されません。",
    send: "参加します",
    thanks: "ありがとうございます。招待した方に伝わりました。ほかのお子さまも参加する場合は、続けて入力してください。",
    full: "保存されていません。名簿がいっぱいです。招待した方にお知らせください。",
    begun: "保存されていません。ご利用はすでに始まっています。",
    wrong: "保存されていません。印の付いた項目をご確認ください。",
    noName: "お名前を60文字以内で入力してください。",
    tooLong: "200文字以内で入力してください。",
    guests: "参加するゲスト",
    remove: "削除する"
  },
  voucher: {
    title: "ギフト券",
    worth: "額面",
    left: "ギフト券の残額",
    until: "有効期限",
    noEnd: "有効期限はありません。",
    how: "施設でのお支払いの際にコードをお伝えいただくか、ご予約のページで入力してください。使わなかった分はギフト券に残ります。",
    keep: "コードを知っている人は誰でも使えます。現金と同じように保管してください。",
    forWhom: "贈る相手",
    from: "贈り主",
    use: "ギフト券を使う",
    lead: "未払いの金額を上限に、残額から支払われます。",
    code: "ギフト券のコード",
    codeHint: "英数字16文字です。ハイフンや大文字・小文字の違いは問いません。",
    look: "支払われる金額を見る",
    pays: "ギフト券での支払い",
    pay: (amount) => `ギフト券で${amount}を支払う`,
    less: (due) =>
      `ギフト券だけでは足りません。今すぐあと${due}のお支払いが必要です。施設にお問い合わせいただくか、今必要な金額をオンラインで支払い、残りにギフト券をお使いください。`,
    none: "このコードのギフト券はありません。一文字ずつご確認ください。",
    again: "お支払いは行われていません。ご覧になった後に内容が変わりました。現在の状況は次のとおりです。",
    refused: {
      slip: "コードが印刷どおりに入力されていません。一文字ずつご確認ください。",
      unknown: "この施設では、このコードのギフト券を販売していません。",
      voided: "このギフト券は販売が取り消されたため、使えません。",
      expired: "ギフト券の有効期限が切れています。",
      used_up: "ギフト券の残額がありません。",
      other_currency: "ギフト券の通貨が異なります。"
    }
  },
  buying: {
    title: "ギフト券を購入する",
    lead: "この施設でのご利用やパーティーのお支払いに、一度にでも何回かに分けてでも使えます。",
    amount: "金額",
    bounds: (least, most) => `${least}から${most}まで。`,
    valid: "有効期間",
    recipient: "贈る相手（空欄の場合は記入欄になります）",
    greeting: "メッセージ一行（任意）",
    pay: "オンラインで支払う",
    how: "決済サービスのページでお支払いいただくと、ギフト券が表示されます。印刷したり送ったりできます。",
    byLetter: "リンクはメールでもお届けします。",
    none: "この施設は現在、ギフト券をオンラインで販売していません。",
    wrongAmount: (least, most) => `${least}から${most}までの金額を入力してください。`,
    greetingWrong: "200文字以内の一行で入力してください。",
    tooMany: "支払われていないギフト券の購入がいくつかあります。1時間後にもう一度お試しください。",
    unavailable: "現在、支払いページを作成できません。数分後にもう一度お試しください。",
    openTitle: "まだ支払われていません",
    open: "支払いページはまだ開いています。",
    goOn: "支払いに進む",
    processingTitle: "支払いの処理中です",
    processing: "入金が確認され次第、ギフト券が発行されます。その後、このページをもう一度開いてください。",
    checkedTitle: "支払いを確認しています",
    checked: "お支払いの内容がご請求と異なります。施設に通知済みで、ご連絡いたします。",
    overTitle: "支払われませんでした",
    over: "支払いページは終了したため、ギフト券は発行されていません。",
    subject: "ギフト券のお届け",
    thanks: "ありがとうございます。こちらがギフト券のページです。印刷したり送ったりできます。",
    openVoucher: "ギフト券を開く",
    why: "ギフト券の購入時にこのメールアドレスが入力されたため、お送りしています。"
  },
  receipt: {
    title: "領収書",
    from: "発行者",
    taxNumber: "登録番号",
    forWhom: "宛名",
    bookedOn: "予約日",
    payments: "お支払い",
    date: "日付",
    payment: "お支払い",
    paidBy: {
      cash: "お支払い（現金）",
      card: "お支払い（現地でカード）",
      transfer: "お支払い（振込）",
      voucher: "お支払い（ギフト券）"
    },
    refund: "返金",
    refundOpen: "返金手続き中",
    refundWaits: "返金（未送金）",
    causes: {
      late_payment: "お席がなくなった後のお支払い",
      cancellation: "キャンセルによる返金",
      duplicate_payment: "二重のお支払い",
      dashboard: "施設からの返金",
      dispute: "異議申し立てによる銀行からの返金",
      move: "料金を超えるお支払い",
      goodwill: "お詫び",
      misfit: "ご請求と異なるお支払い"
    },
    nonePaid: "まだお支払いはありません。",
    left: "残りのお支払い",
    printed: "保存するには、このページを印刷するか、PDFとして保存してください。",
    notInvoice: "請求書が必要な場合は、施設へお問い合わせください。"
  }
}
