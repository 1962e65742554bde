/** How a terminal tells the desktop of something: as iTerm2 and Windows Terminal, or as urxvt and Ghostty do. */
export const NOTIFICATIONS = ['osc9', 'osc777', 'both', 'none'] as const
export type Notification = (typeof NOTIFICATIONS)[number]

export const bell = '\x07'

/** What others wrote must not end the sequence early. */
const plain = (text: string): string => text.replace(/\p{Cc}/gu, ' ').slice(0, 200)

export function notification(kind: Notification, text: string): string {
  const osc9 = `\x1b]9;${plain(text)}\x07`
  const osc777 = `\x1b]777;notify;gc;${plain(text).replaceAll(';', ',')}\x07`
  return { osc9, osc777, both: osc9 + osc777, none: '' }[kind]
}

export const title = (text: string): string => `\x1b]2;${plain(text)}\x07`

/** What puts a text on the clipboard of the terminal, also over SSH (OSC 52). */
export const clipboard = (text: string): string => `\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`
