/** The file that `playroom catalogue new` writes, as an owner changes it: another business, with two rooms that sell the same. */
export const twoRooms = (starter: string): string => {
  const text = starter.replaceAll("my-business", "castle-play")
  const rooms = text.indexOf("  - slug: main-hall")
  return `${text}\n${text.slice(rooms).replace("main-hall", "garden-room").replace("My Playroom", "Garden Room")}`
}
