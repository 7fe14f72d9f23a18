/**
 * Messages of the page on which a family changes its party, in Japanese.
 */
import type { Party } from "../en/Party.ts"

export const party: Party = {
  party: {
    change: "人数などを変更する",
    changeDetails: "ご要望を変更する",
    lead: (until) => `${until}まで、すべてご自身で変更できます。変更の前に、料金の差額や返金額をご確認いただけます。`,
    detailsOnly: "お名前、メールアドレス、電話番号、年齢、ご要望は、ご利用開始まで無料で変更できます。",
    correct: "お名前・アドレスを訂正する",
    contactOnly: "お名前、メールアドレス、電話番号に誤りがある場合は、こちらで訂正できます。",
    headcountFinal: (when) => `人数は${when}に確定しました。変更は施設にお問い合わせください。`,
    growsOnly: "人数は増やせますが、減らすことはできません。人数が減る場合は、施設にお問い合わせください。",
    notSold: "ご予約の内容は現在販売されていないため、ここでは人数を変更できません。施設にお問い合わせください。",
    ages: "お子さまの年齢",
    agesHint: "お一人ずつ、例：4, 5, 5。空欄でもかまいません。",
    agesPriced: "お一人ずつ、例：4, 5, 5。料金は年齢によって決まり、入力がない場合は最も高い料金になります。",
    extras: "オプション",
    perChild: (price) => `お一人${price}`,
    each: (price) => `1つ${price}`,
    name: "お名前",
    emailHint: "訂正すると、メールと新しいリンクは新しいアドレスに届き、これまでのリンクは使えなくなります。",
    phone: "電話番号",
    check: "変更内容を確認する",
    title: "このご予約を変更しますか？",
    none: "なし",
    before: (value) => `変更前：${value}`,
    costsNothing: "料金はかかりません。",
    confirm: "予約を変更する",
    edit: "入力し直す",
    changed: "変更されていません。ご覧になった後に内容が変わりました。現在の内容は次のとおりです。",
    same: "まだ何も変更されていません。",
    tooMany:
      "変更されていません。その日は、無料またはお支払い前のご予約が上限に達しています。施設にお問い合わせください。",
    errors: {
      lead: "変更されていません。印のある項目をご確認ください。",
      number: "整数を入力してください。",
      children: (least, most) => `このプランはお子さま${least}～${most}名様用です。`,
      adults: (most) => `大人は最大${most}名様です。`,
      ages: (n) => `年齢はお一人ずつ${n}名様分を入力するか、空欄にしてください。`,
      ageRange: (from, to) => `このプレイルームは${from}～${to}歳向けです。例外は施設にお問い合わせください。`,
      room: (left) => `この時間の空きは最大${left}名様です。`,
      extra: (most) => `この時間は最大${most}個です。`,
      name: "お名前を入力してください。",
      email: "メールアドレスを入力してください（例：ana@example.com）。",
      phone: "電話番号を入力してください（例：+81 3 1234 5678）。",
      notes: "1,000文字以内で入力してください。",
      closed: "この時間は休業のため、変更されていません。施設にお問い合わせください。"
    }
  },
  venueAsks: {
    title: "施設からの質問",
    lead: "回答は施設に伝わります。ご利用開始まで変更できます。",
    open: { other: "ご利用前に、施設から#件の質問があります。" },
    answer: "回答する",
    change: "回答を変更する",
    needed: "この回答は施設が必要としています。",
    choose: "選択してください",
    save: "回答を保存する",
    again: "保存されていません。ご覧になった後に変更がありました。回答をもう一度ご確認ください。",
    stored: (answer) => `保存済みの回答：${answer}`,
    tooLong: "500文字以内で入力してください。",
    notOffered: "選択肢から一つ選んでください。",
    answers: "回答",
    unanswered: "未回答"
  }
}
