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
  }
}
