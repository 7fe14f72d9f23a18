/** All messages for people, in Japanese. */
import type { Messages } from "../en/Messages.ts"
import { desk } from "./Desk.ts"
import { family } from "./Family.ts"
import { letters } from "./Letters.ts"
import { party } from "./Party.ts"
import { rooms } from "./Rooms.ts"
import { visit } from "./Visit.ts"

export const ja: Messages = {
  locale: "ja",
  words: {
    reference: "予約番号",
    visit: "ご利用内容",
    when: "日時",
    price: "料金",
    total: "合計",
    paid: "お支払い済み",
    dueNow: "今回のお支払い",
    balance: "後日のお支払い",
    refunded: "返金済み",
    refunding: "返金手続き中",
    comesBack: "返金",
    presented: (theirs, ours) => `${theirs}（${ours}）をお支払いいただきました。`,
    together: "一緒に予約したもの",
    confirmed: "確定",
    cancelled: "キャンセル済み",
    email: "メールアドレス",
    children: { other: "お子さま#名" },
    adults: { other: "大人#名" },
    ages: (ages) => `年齢：${ages}`,
    pay: (amount) => `${amount}を支払う`,
    lookAgain: "最新の状態に更新する",
    toBooking: "予約のページに戻る",
    leaveAsItIs: "このままにする",
    ownDevice: "お使いの端末のプログラム",
    followedBy: (one, next) => `${one}${next}`,
    backByBank: "お支払い時と同じ方法で返金されます。通常5～10営業日かかります。",
    backByVenue: "お支払いと同じ形で返金されます。施設から直接返金されるか、ギフト券に戻ります。",
    backByBoth: (bank, venue) =>
      `${bank}はお支払い時と同じ方法で返金され、通常5～10営業日かかります。残りの${venue}は、施設から直接返金されるか、ギフト券に戻ります。`,
    backAfterDispute: (amount) =>
      `${amount}は、異議申し立てのあったお支払いについて銀行などの結論が出てから返金されます。銀行などから直接戻った金額は差し引かれます。`,
    backOnceOpen: (amount) =>
      `施設の決済会社のアカウントが現在停止しているため、${amount}はまだ返金されていません。アカウントが再開され次第、返金されます。施設はこのことを把握しています。`,
    comma: "、",
    clock: (time) => time,
    bring: "持ち物",
    askVenue: "施設の連絡先：",
    askAtVenue: "施設で直接お尋ねください："
  },
  landing: {
    lead: "AIアシスタントがここで子ども向けのプレイルームを探し、予約し、支払い用のリンクをお渡しします。",
    how: "人数に合うプレイルーム、空いている時間、それぞれの正確な料金がわかります。選んだ時間は、お支払いの間、仮押さえされます。",
    payment: "お支払いは決済会社のページで行います。アシスタントがカード情報を見ることはありません。",
    book: "予約する",
    venuesHeading: "プレイルームを運営されている方へ",
    venues:
      "ご家族は普段お使いのアシスタントで予約し、代金は施設の口座に直接支払われます。変更やキャンセルは施設の規定に従います。専用ページで、いつ誰が来るかをご覧いただけます。掲載については、このサービスの運営者へお問い合わせください。",
    askHeading: "たずね方の例",
    asks: [
      "「土曜の午後、子ども8人で使えるプレイルームを近くで探して。」",
      "「料金はいくら？キャンセルしたらいくら戻る？」",
      "「2時の枠を予約して。」"
    ],
    connectHeading: "アシスタントを接続する",
    signInHeading: "サインインして使うアシスタント",
    signIn:
      "アシスタントの設定で、次のアドレスのコネクター（アプリ、MCPサーバーと呼ぶものもあります）を追加してください。続いて、同意を確認するページが開きます。",
    signInWays: {
      guest: "アカウントもキーも要りません。",
      key: "そこでAPIキーを貼り付けます。",
      both: "アカウントは不要です。ゲストとして進むか、APIキーを貼り付けてください。"
    },
    localOnly:
      "このアドレスはこのコンピューターの中だけのもので、ウェブ上のアシスタントからは届きません。サーバーやトンネルなどの公開された https のアドレスが必要です。",
    noSignIn:
      "このサービスではサインインできません。そのため、キーを送れないアシスタントは検索できますが、予約はできません。",
    headerHeading: "キーを送るアシスタントやプログラム",
    header:
      "次のアドレスと、ヘッダー `X-API-Key` に入れるキーを設定してください。コピーした内容の `YOUR_KEY` をキーに置き換えてください。",
    keyless:
      "キーがなくても検索と空き状況の確認はできます。予約と支払いにはキーが必要です。このサービスの運営者から受け取ってください。",
    inFile: (file) => `\`${file}\` に書く内容：`,
    inShell: "ターミナルで：",
    bearerHeading: "トークンを1つだけ送るプログラム",
    bearer: "アドレスは同じで、キーがBearerトークンになります。",
    knownHeading: "動作するものと、その根拠",
    known:
      "「確認済み」はこのサービスのテストで実際に動かしています。「手作業で確認」はその版を私たちが一度接続したものです。「公式文書による」は提供元がそう説明しているもので、こちらでは試していません。",
    host: "アシスタント",
    sends: "接続方法",
    evidence: "根拠",
    ways: { header: "ヘッダーのキー", bearer: "トークンとしてのキー", sign_in: "サインイン" },
    tried: "確認済み",
    byHand: (version) => `手作業で確認（${version}）`,
    documented: "公式文書による",
    more: "開発者向け",
    documentation: "ドキュメント",
    openapi: "OpenAPI文書",
    health: "稼働状況",
    onboarding: {
      done: "ありがとうございます。決済会社がまだ必要とするものがあれば、このサービスの運営者がお知らせします。",
      expired: "このリンクは使用済みか、期限切れです。このサービスの運営者に新しいリンクを依頼してください。"
    }
  },
  signIn: {
    title: (host) => `${host} を接続しますか？`,
    lead: (host) => `${host} が、あなたの代わりにプレイルームの検索と予約、支払い用リンクの取得を求めています。`,
    titleLocal: "お使いの端末のプログラムを接続しますか？",
    leadLocal:
      "お使いの端末のプログラムが、あなたの代わりにプレイルームの検索と予約、支払い用リンクの取得を求めています。",
    who: "接続を求めている相手",
    proven: "このアドレスは確認されています。",
    unproven: (name) => `このプログラムは「${name}」と名乗っています。この名前は誰も確認していません。`,
    unprovenNameless: "相手が誰かは誰も確認していません。",
    backTo: "このあと戻る先",
    mayDo: "許可する内容",
    scopes: {
      "bookings:read": "この接続で行われた予約と、あなたが開示した以前の予約を見る",
      "bookings:write": "プレイルームの枠を仮押さえし、予約する",
      "payments:write": "あなたが支払うためのリンクを作る（支払いそのものはできません）"
    },
    notYou: "ご自身で今始めた操作でなければ、拒否してください。",
    keyHeading: "APIキーを使う",
    keyLabel: "APIキー",
    keyNote: "キーまたは接続が終了するまで、このキーとして動作します。",
    keyButton: "このキーで接続する",
    guestHeading: "ゲストとして使う",
    guestNote:
      "アカウントは不要です。この接続であなたのために行われた予約と、予約番号とメールアドレスを伝えた以前の予約が見えます。",
    linkLabel: "予約ページのリンク（任意）",
    linkNote:
      "以前に予約された方は、ご予約のページのリンクを貼り付けると、アシスタントがその予約の手続きを続けられます。",
    guestButton: "ゲストとして接続する",
    refuse: "拒否する",
    keyMissing: "APIキーを貼り付けてください。",
    keyWrong: "このAPIキーは正しくないか、すでに終了しています。",
    keyAllowsNothing: "このAPIキーでは、求められている操作を何も行えません。",
    linkWrong: "このリンクで開ける予約はありません。ご予約のページからコピーし直すか、空欄のままにしてください。",
    tooManyTries: "お使いのインターネット接続からの試行回数が多すぎます。1分待ってからやり直してください。",
    tooManyGuests:
      "お使いのインターネット接続から、この1時間に多くのゲストが接続しました。1時間後にやり直すか、Wi-Fiの代わりにモバイルデータ通信など、別の接続をお使いください。",
    noCookieTitle: "ブラウザーにCookieが保存されていません",
    noCookie:
      "ご本人の操作であることを確かめるため、Cookieが1つ必要です。このサイトのCookieを許可するか、普段のブラウザーでリンクを開いてください。",
    decidedTitle: "すでに回答済みです",
    decided: "アシスタントに戻って続けてください。接続されていない場合は、アシスタントからもう一度接続してください。",
    expiredTitle: "このページの有効期限が切れました",
    expired: "開いたままの時間が長すぎました。",
    errorTitle: "接続できません",
    error: "プログラムが求めた操作は行えません。作成者向けの理由は次のとおりです。",
    unavailable: "サービスが一時的に応答できません。しばらくしてからやり直してください。",
    startAgain: "アシスタントに戻って、もう一度接続してください。"
  },
  publisher: {
    privacy: "プライバシー",
    terms: "利用規約",
    support: "ヘルプ"
  },
  linkProblems: {
    nothing: {
      title: "ページが見つかりません",
      lead: "アドレスが間違っているか、ページが削除されています。",
      more: "アドレスが途中で切れていないか確認するか、トップページからお進みください。"
    },
    broken: {
      title: "エラーが発生しました",
      lead: "サービス側の問題です。エラーは記録されました。",
      more: "しばらくしてからもう一度お試しください。"
    },
    dead: {
      title: "このリンクは使えなくなりました",
      lead: "アドレスが途中で切れているか、新しいリンクに替わったか、期限が過ぎています。",
      more: "アドレス全体がコピーされているかご確認ください。それでも開けないときは、アシスタントまたは施設に現在のリンクをお尋ねください。"
    },
    invitation: {
      title: "この招待は無効になりました",
      lead: "予定が取り消されたか、リンクが新しいものに替わりました。",
      more: "招待した方にお尋ねください。"
    },
    deskInvitation: {
      title: "この受付へのリンクは無効です",
      lead: "使用済みか、新しいものに替わったか、取り消されたか、古すぎるか、作成した人が責任者ではなくなっています。",
      more: "パスキーを作成済みの場合は、それでサインインしてください。そうでない場合は、受付の責任者に新しいリンクをご依頼ください。"
    },
    unavailable: {
      title: "ただいまページを表示できません",
      lead: "何も失われていません。",
      more: "しばらくしてからもう一度読み込んでください。そのときの状況が表示されます。"
    },
    tooMany: {
      title: "リクエストが多すぎます",
      lead: "お使いのネットワークから1分間に多くのページが要求されました。",
      more: "1分ほど待ってから、もう一度読み込んでください。"
    },
    unreadable: {
      title: "フォームを読み取れませんでした",
      lead: "途中までしか届かず、何も変わっていません。",
      more: "前のページに戻って読み込み直し、もう一度送信してください。"
    }
  },
  operator: {
    visits: { other: "予約#件" },
    noVisits: "この日の予約はありません。",
    unsureToo: (held) => `うち未確定${held}件`,
    days: "日付",
    today: "今日",
    weekBefore: "前の週",
    weekAfter: "次の週",
    nextVisit: (date) => `次のご予約：${date}`,
    misunderstood: "指定された日付または一覧の位置がありません。代わりにこの日を表示しています。",
    prepare: "準備するもの",
    closed: "休業",
    alsoBooked: (reference) => `同じご家族が同じ時間に別の予約をお持ちです：${reference}`,
    blocked: { closed: "休業中", overbooked: "定員・在庫超過" },
    blockedToo: (visits) => `うち要対応${visits}件`,
    visitsBlocked: {
      other: "休業中、または定員・在庫を超える予約が#件あります。日時を変更するかキャンセルしない限り、予約は有効です。"
    },
    otherCalendar: (calendar) => `カレンダー「${calendar}」で予定あり`,
    allDay: "終日",
    unsure: "未確定",
    keptUntil: (time) => `未払い：${time}まで確保しています。`,
    inQuestion: "ご請求と異なるお支払いがあり、確認中です。その分を受け取らないでください。",
    onItsWay: "お支払いの手続き中です。",
    extras: "追加オプション",
    notes: "備考",
    toPay: (amount) => `未払い額：${amount}`,
    toDo: "ご確認ください",
    /** What the operator can act on, by the kind of notice. */
    notices: {
      paid_back: (amount: string, reference: string) =>
        `予約${reference}の${amount}は全額返金されましたが、枠は確保されたままです。実施するかどうかをお知らせください。`,
      balance_overdue: (amount: string, reference: string) =>
        `予約${reference}の残金${amount}が期限を過ぎています。ご家族にお知らせいただくか、当日、施設でお受け取りください。`,
      unpaid_after_visit: (amount: string, reference: string) =>
        `予約${reference}のご来店は終わりましたが、${amount}が未払いです。受け取り済みなら記録し、そうでなければご家族にご請求ください。`,
      refund_failed: (amount: string, reference: string) =>
        `予約${reference}の返金${amount}ができませんでした。別の返金方法をご家族とご相談ください。`,
      refund_waits_for_money: (amount: string, reference: string) =>
        `予約${reference}の返金${amount}は残高不足のため保留中です。決済サービスの残高を補充してください。`,
      refund_waits_for_dispute: (amount: string, reference: string) =>
        `予約${reference}の返金${amount}は、支払いへの異議申し立てのため保留中です。決済サービスの管理画面で回答してください。`,
      refund_at_venue: (amount: string, reference: string) =>
        `予約${reference}は現地で支払われました。返金が決まった${amount}を、直接お返しください。`,
      disputed: (amount: string, reference: string) =>
        `予約${reference}の${amount}について、支払者から異議申し立てがありました。決済サービスの管理画面で回答してください。`,
      dispute_lost: (amount: string, reference: string) =>
        `予約${reference}の${amount}についての異議申し立てが認められ、お金は支払者に戻りました。キャンセル済みでなければ、実施するかどうかをお決めください。すでに返金もしていた場合は、二重に戻っています。`,
      dispute_won: (amount: string, reference: string) =>
        `予約${reference}の${amount}についての異議申し立ては最終的に退けられ、お金が戻りました。キャンセル済みの場合は、改めて予約するかご家族にお尋ねください。`
    },
    accountClosed: (since) =>
      `${since}から、決済サービスのアカウントで支払いを受け付けられないため、新しい予約ができません。決済サービスにサインインし、求められている内容にお答えください。支払いを受け付けられるようになると、予約も再開します。`,
    calendarNotices: {
      notRead: (calendar, playroom, since) =>
        `${playroom}のカレンダー「${calendar}」は${since}から読み込めていません。その後に入力された予定は、こちらでは休業になりません。アドレスをご確認ください。`,
      eventNotRead: (calendar, playroom) =>
        `${playroom}のカレンダー「${calendar}」に、正しく読み取れない予定があります。その時間がこちらで休業になっているかご確認ください。`,
      booking: (reference, playroom, calendar) =>
        `予約${reference}（${playroom}）の時間は、カレンダー「${calendar}」でも予定が入っています。同じパーティーの場合は、その予定の件名に予約番号を入れてください。別の場合は、どちらかを変更してください。`
    },
    allGivenBack: "全額返金済みで、キャンセルされていません。実施するかご確認ください",
    overdue: (amount, since) => `未払い額：${amount}（お支払い期限 ${since} を過ぎています）`,
    givenBack: "支払い済み（返金あり）",
    nothingToPay: "お支払いなし",
    more: "この日の続き",
    fromStart: "この日の最初から",
    calendar: "カレンダーに表示",
    calendarLead: "お使いのカレンダーで予約を確認できます。ボタンが使えない場合は、このアドレスを登録してください。",
    subscribe: "カレンダーに登録",
    secret:
      "このページまたはカレンダーのアドレスを知っている人は、お客様の名前を見られます。スタッフ以外に教えないでください。",
    calendarName: (operator) => `予約：${operator}`,
    phone: "電話",
    erased: "お名前は削除済み"
  },
  card: {
    title: "プレイルームの予約",
    waiting: "回答を待っています…",
    working: "お待ちください…",
    stopped: "リクエストは中止されました。",
    chooseTime: "時間を選ぶ",
    timesLeft: "時間",
    noTimes: "空いている時間がありません",
    nextDay: (day) => `次に空いている日は${day}です。`,
    placesLeft: { other: "残り#人分" },
    dueNowOf: (amount) => `今回 ${amount}`,
    noRefund: "キャンセルしても、今回のお支払い分は返金されません。",
    refundUntil: (amount, moment) => `${moment}までのキャンセルで、${amount}が返金されます。`,
    bookThis: "この時間を予約",
    moreTimes: "ほかの時間を見る",
    otherTimes: "ほかの時間",
    details: "予約する方",
    name: "お名前",
    nameMissing: "お名前を入力してください。",
    emailWrong: "メールアドレスを入力してください（例：ana@example.com）。",
    freeHold: "予約すると枠が確保されます。お支払いがなければ予約は自動的に取り消され、費用はかかりません。",
    book: "予約する",
    back: "戻る",
    refresh: "更新",
    balanceBy: (amount, day) => `${amount}（${day}まで）`,
    balanceAtVenue: (amount) => `${amount}（施設でお支払い）`,
    allPaidBack: "返金済み：施設にご確認ください",
    held: "確保中",
    expired: "確保の期限切れ",
    processing: "お支払いの処理中",
    payment: "お支払い",
    timeLeft: "お支払いまでの残り時間",
    payOpened: "支払いページを開きました。お支払いが済んだら、ここに戻ってください。",
    bookingPage: "ご予約のページ",
    pageOpened: "ご予約のページを開きました。変更した内容は、ここに戻ると表示されます。",
    openYourself: "ここからページを開けませんでした。次のアドレスを開いてください：",
    unchanged: "まだ変わっていません。",
    notPassedOn: "アシスタントに伝わりませんでした。もう一度試すか、チャットで頼んでください。",
    rateLimited: (n) => `リクエストが多すぎます。${n}秒後にもう一度お試しください。`,
    near: "近い時間はこちらです：",
    reasons: {
      closed: "その時間は休業です。",
      not_sold_on_these_days: "この曜日には販売されていません。",
      fully_booked: "その時間は満席です。",
      add_ons_taken: "その時間、オプションはほかで使用されるか、使用できません。オプションなしなら部屋は空いています。",
      too_soon: "直前のため予約できません。",
      too_far_ahead: "まだ予約を受け付けていない日です。",
      party_too_large: "人数がこのプレイルームの上限を超えています。",
      party_too_small: "人数がこのプレイルームの下限に足りません。",
      in_the_past: "その日は過ぎています。",
      outside_your_times: "その時間帯に空きはありません。"
    },
    errors: {
      api_key_missing:
        "この接続では時間を見られますが、予約はできません。設定した人がAPIキーを追加する必要があります。",
      api_key_invalid: "この接続のAPIキーは無効です。設定した人が別のキーに替える必要があります。",
      api_key_scope: "この接続のAPIキーでは許可されていません。設定した人が別のキーに替える必要があります。",
      invalid_arguments: "入力が受け付けられませんでした。確認して、もう一度お試しください。",
      playroom_not_found: "このプレイルームは現在ありません。アシスタントに別のものを頼んでください。",
      package_not_found: "このプランは現在ありません。ほかの時間をご覧ください。",
      booking_not_found: "この接続ではその予約を表示できません。プレイルームで確認できます。",
      option_invalid: "この時間は予約できなくなりました。ほかの時間をご覧ください。",
      price_changed: "料金、時間または条件が変わったため、予約していません。現在の内容はこちらです：",
      slot_unavailable: "予約していません。ほかの時間をご覧ください。",
      hold_expired: "お支払いの期限が過ぎました。ほかの時間をご覧ください。",
      booking_cancelled: "この予約はキャンセル済みのため、お支払いできません。ほかの時間をご覧ください。",
      nothing_due: "現在お支払いはありません。更新して予約をご確認ください。",
      operator_unavailable:
        "このプレイルームは現在、予約やお支払いを受け付けていません。アシスタントに別のものを頼んでください。",
      idempotency_conflict: "別の内容ですでに依頼されています。アシスタントにもう一度頼んでください。",
      already_booked:
        "別の会話で、すでに予約されています。新しい予約は行われていません。予約確認に記載された予約番号とメールアドレスをアシスタントに伝えるか、予約ページのリンクを開いてください。",
      too_many_holds:
        "予約はまだ取れていません。現在、未払いの予約が多すぎます。ご自身の未払いの予約があれば、お支払いまたはキャンセルをしてください。なければ、数分後にもう一度お試しいただくか、別の日をお選びください。",
      payment_provider_unavailable:
        "現在、支払いページを開けません。請求はされていません。数分後にもう一度お試しください。",
      service_unavailable: "予約サービスが応答していません。1分後にもう一度お試しください。",
      internal_error: "予約サービスで問題が起きました。もう一度試すか、アシスタントに頼んでください。"
    }
  },
  ...desk,
  ...family,
  ...letters,
  ...party,
  ...rooms,
  ...visit
}
