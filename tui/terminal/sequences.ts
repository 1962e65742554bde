/** Escape sequences for desktop notifications: iTerm2 and Windows Terminal, or urxvt and Ghostty. */
export const NOTIFICATIONS = ['osc9', 'osc777', 'both', 'none'] as const
export type Notification = (typeof NOTIFICATIONS)[number]

export const bell = '\x07'

/** Removes control characters from foreign text, so that it cannot end the sequence early. */
const plain = (text: string): string => text.replace(/\p{Cc}/gu, ' ').slice(0, 200)

export function notification(kind: Notification, text: string): string {
  const osc9 = `\x1b]9;${plain(text)}\x07`
  const osc777 = `\x1b]777;notify;gc;${plain(text).replaceAll(';', ',')}\x07`
  return { osc9, osc777, both: osc9 + osc777, none: '' }[kind]
}

export const title = (text: string): string => `\x1b]2;${plain(text)}\x07`

/** Sequence that puts a text on the terminal's clipboard, also over SSH (OSC 52). */
export const clipboard = (text: string): string => `\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`

/** Clicks and the wheel, with places beyond column 223, and their release. */
export const mouse = (on: boolean): string => (on ? '\x1b[?1000h\x1b[?1006h' : '\x1b[?1006l\x1b[?1000l')

/** Saves the title of the terminal, and restores it. */
export const savedTitle = ['\x1b[22;0t', '\x1b[23;0t'] as const

/** Asks the terminal for its background; the answer comes as input, if one does. */
export const askBackground = '\x1b]11;?\x07'

/** Styles and bracketed paste off, which Ink leaves on where the process ends before React has cleaned up. */
export const plainInput = '\x1b[0m\x1b[?2004l'

/** An empty screen, with the cursor at its beginning. */
export const emptyScreen = '\x1b[2J\x1b[H'
