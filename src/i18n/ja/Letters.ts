/** ご家族へのメールと、それに関するページの文言（日本語）。 */
import { standingMessage } from "../Message.ts"
import type { Letters } from "../en/Letters.ts"

export const letters: Letters = {
  letters: {
    changed: {
      heading: "ご予約が変更されました",
      lead: "現在の内容は次のとおりです。"
    },
    before: "変更前",
    now: "変更後",
    balanceDue: standingMessage("お支払い期限が近づいています", ({ amount, online, until }) =>
      online
        ? `${until}までに残り${amount}をお支払いください。ご予約のページでお支払いいただけます。`
        : `${until}までに残り${amount}を施設でお支払いください。`
    ),
    visit: { heading: "ご来場の日が近づいています", lead: (when: string) => `${when}にお待ちしております。` },
    refundFailed: {
      heading: "返金が届きませんでした",
      lead: (amount: string) =>
        `${amount}の返金が、銀行またはカード会社で受け付けられませんでした。お受け取りの権利はなくなりません。受け取り方法を施設にお問い合わせください。`
    },
    link: {
      heading: "ご予約のリンク",
      lead: "このご予約のページのリンクが請求されました（おそらくご本人によるものです）。",
      unasked: "お心当たりがない場合は、何もなさる必要はありません。リンクはこのアドレスにだけ送られています。"
    },
    openPage: "ご予約のページを開く",
    entry: "添付のカレンダー予定に、場所と時間が入っています。",
    newEntry: "添付のカレンダー予定で、これまでの予定を置き換えてください。",
    entryRemoved: "添付のカレンダー予定で、これまでの予定が削除されます。",
    why: (reference: string) =>
      `ご予約（${reference}）の連絡先としてこのアドレスが登録されているため、お送りしています。`,
    stop: "お知らせを停止する"
  },
  reminders: {
    title: "お知らせを停止しますか",
    lead: "お支払いとご来場のお知らせは、今後このアドレスに届きません。変更や返金に関するメールは引き続き届きます。",
    stop: "お知らせを停止する",
    stoppedTitle: "お知らせを停止しました",
    stoppedLead: "今後、このアドレスにお知らせは送られません。",
    resume: "お知らせを再開する"
  },
  findBooking: {
    title: "ご予約を探す",
    lead: "予約番号とメールアドレスを入力してください。そのアドレスにご予約のリンクをお送りします。",
    email: "メールアドレス",
    send: "リンクを送る",
    wrong: "予約番号（例：K7M2-9QXD）とメールアドレスを入力してください。",
    sentTitle: "メールをご確認ください",
    sentLead: "該当するご予約がある場合は、ご予約のメールアドレスにリンクをお送りします。数分かかることがあります。",
    sentMore: "届かない場合は、予約番号とアドレス、迷惑メールフォルダーをご確認ください。",
    askLead: "このサービスはメールを送りません。",
    ask: "ご予約のリンクは施設にお問い合わせください。予約番号とお名前が必要です。または、ご予約に使ったアシスタントにお尋ねください。",
    support: "ヘルプ"
  }
}
