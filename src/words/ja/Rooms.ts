/** Messages of the pages that show playrooms to people without an assistant, in Japanese. */
import type { Rooms } from "../en/Rooms.ts"

export const rooms: Rooms = {
  rooms: {
    title: "プレイルーム",
    lead: "施設、料金、営業時間、規定をここでご覧いただけます。空き時間の確認と予約はアシスタントが行います。",
    titleIn: (city) => `プレイルーム（${city}）`,
    all: "すべてのプレイルーム",
    cities: "都市",
    city: "都市",
    find: "検索",
    noneIn: (city) => `「${city}」のプレイルームは掲載されていません。`,
    none: "現在、掲載されているプレイルームはありません。",
    next: "次のプレイルーム",
    from: (amount, party) => `${amount}から（${party}）`,
    withoutAdults: "大人を除く",
    lowest: (amount) => `${amount}から`,
    upTo: (party) => `${party}まで`,
    ages: (from, to) => (from === to ? `${from}歳` : `${from}歳から${to}歳`),
    modes: { exclusive: "貸し切り", shared: "ほかのご家族と一緒のフリープレイ" },
    packages: "ご予約いただけるプラン",
    priceNote: "料金は日、時間、人数によって変わります。予約の前にアシスタントが正確な金額をお知らせします。",
    varies: "時間やプランにより料金が異なるものがあります。",
    hours: "営業時間",
    quiet: "静かな時間帯",
    hoursDiffer: "営業時間が異なる日もあります。",
    closures: "休業日",
    amenities: "設備",
    accessibility: "バリアフリー",
    photos: "写真",
    runBy: "運営：",
    ask: "アシスタントにたずねる",
    askHow: "次の文をコピーし、必要なところを変えて、アシスタントに送ってください。",
    request: (room, city, id) =>
      `次の土曜日に子ども8人で、${city}のプレイルーム「${room}」に行きたいです。空いている時間と、それぞれの料金を教えて。Playroom bookingを使って。プレイルームのIDは ${id} です。`,
    connect: "まだここで予約できない場合は、次のアドレスをコネクターとして追加してください。",
    connectHow: "アシスタントの接続方法",
    terms: "お支払いとキャンセル",
    payAll: "予約時に全額をお支払いいただきます。",
    payLater: "予約時のお支払いはありません。",
    backOfRest: "キャンセル時の残額からの返金",
    until: (duration) => `ご利用の${duration}前まで`,
    untilStart: "ご利用開始まで",
    back: (until, share) => `${until}：${share}`,
    afterwards: (share) => `それ以降：${share}`,
    headcount: (until) => `お子さまの人数は、${until}変更できます。`,
    growsOnly: "人数を増やすことはできますが、減らすことはできません。",
    move: (until) => `日時は、${until}無料で変更できます。`,
    released: (duration) => `支払期日から${duration}たっても残額のお支払いがない場合、お席は解放されます。`,
    missing: {
      title: "このプレイルームは掲載されていません",
      lead: "現在ここでは予約を受け付けていないか、アドレスが間違っています。",
      more: "掲載中のプレイルームをご覧ください。"
    }
  }
}
