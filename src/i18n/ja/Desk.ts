/** Messages of the desk, in Japanese. */
import type { Desk } from "../en/Desk.ts"

export const desk: Desk = {
  desk: {
    title: "受付",
    signInTitle: "受付にサインイン",
    signInLead: "この端末またはスマートフォンのパスキーを使います。",
    signIn: "パスキーでサインイン",
    needsScript: "パスキーにはJavaScriptが必要ですが、このブラウザでは無効になっています。",
    noPasskey: "パスキーは使われませんでした。もう一度お試しください。",
    refused: "このパスキーは受け付けられなかったか、ページを開いてから時間が経ちすぎています。もう一度お試しください。",
    inviteAgain: "この端末のパスキーがなくなった場合は、新しい招待をご依頼ください。",
    invitationTitle: (operator) => `${operator}の受付`,
    invitationLead: (name) =>
      `${name}様。この端末でパスキーを作成してください。次回からはそのパスキーでサインインします。このリンクは一度だけ使えます。`,
    makePasskey: "パスキーを作成",
    signedInAs: (name) => `${name}でサインイン中`,
    signOut: "サインアウト",
    search: "お名前、予約番号または電話番号",
    find: "検索",
    foundTitle: (words) => `検索：${words}`,
    found: { other: "#件の予約" },
    nothingFound: "該当する予約はありません。",
    moreFound: "ほかにもあります。語を加えるか、予約番号を入力してください。",
    toDay: "この日に戻る",
    now: (time) => `現在：${time}`,
    byHour: "時間ごとの子どもの人数",
    visits: "ご来店",
    toCollect: "この日の未払い額",
    room: "部屋",
    contact: "連絡先",
    history: "履歴",
    events: {
      held: "仮予約",
      confirmed: "予約確定",
      paid: "支払い済み",
      balance_paid: "残額支払い済み",
      payment_failed: "支払い失敗",
      paid_late: "期限後の支払い",
      changed: "人数などの変更",
      moved: "日時変更",
      kept: "予定どおり実施",
      cancelled: "キャンセル",
      hold_expired: "期限内に支払いなし",
      balance_lapsed: "残額の支払いなし",
      refunded: "返金済み",
      refund_failed: "返金失敗",
      disputed: "支払いへの異議",
      person_erased: "氏名消去"
    }
  }
}
