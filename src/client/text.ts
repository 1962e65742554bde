let graphemes: Intl.Segmenter | undefined

/** The columns that a string takes on a terminal: wide characters count two, escape sequences none. */
export const displayWidth = (text: string): number => Bun.stringWidth(text)

/** One line without escape sequences, all that is hidden shown: what others wrote must not control the terminal. */
export const sanitizeLine = (text: string): string =>
  showHidden(Bun.stripANSI(text.replace(C1, toEscape)).replace(/[\t\r\n]+/g, ' '))

/** The same for several lines. */
export const sanitizeLines = (text: string): string => text.split(/\r?\n/).map(sanitizeLine).join('\n')

/**
 * Control characters, zero-width characters and the marks that change the direction of text, each as its escape in JSON:
 * a JSON text stays the same value. A joiner within an emoji is not hidden.
 */
export const showHidden = (text: string): string => text.replace(HIDDEN, toEscape)

const C1 = /[\u0080-\u009f]/g
const HIDDEN =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d|\u200d(?!\p{Extended_Pictographic})|[[\p{Cc}\p{Cf}\u2028\u2029]--[\u200d]]/gv

const toEscape = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/** Shortens a string to so many columns; `…` marks what is cut off. */
export function truncate(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  if (columns <= 1) return columns === 1 ? '…' : ''
  let result = ''
  let used = 0
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  for (const { segment } of graphemes.segment(text)) {
    used += displayWidth(segment)
    if (used > columns - 1) break
    result += segment
  }
  return `${result}…`
}

export const padTo = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - displayWidth(text)))

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const

export type Colour = keyof typeof CODES

export const paint = (text: string, colour: Colour | undefined, on: boolean): string =>
  on && colour && text ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text

/** Time ago, in the largest unit that fits: `42s`, `5m`, `3h`, `12d`. */
export function formatAge(timestamp: string | undefined, now: number): string {
  const time = timestamp ? Date.parse(timestamp) : Number.NaN
  if (Number.isNaN(time)) return ''
  return formatDuration(Math.max(0, now - time))
}

/** A duration in its largest unit. */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}

/** A time of day where the person is, after the day unless that is the one of `now`: `14:03:09`, `2026-11-27 14:03:09`. */
export function formatTime(timestamp: string | undefined, now?: number): string {
  const time = new Date(timestamp ?? '')
  if (Number.isNaN(time.getTime())) return timestamp ?? ''
  const day = dayOf(time)
  const ofDay = [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(':')
  const isToday = now !== undefined && dayOf(new Date(now)) === day
  return isToday ? ofDay : `${day} ${ofDay}`
}

const twoDigits = (part: number): string => String(part).padStart(2, '0')

const dayOf = (time: Date): string =>
  `${String(time.getFullYear()).padStart(4, '0')}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`

/** A text whose timestamps are times where the person is. */
export const withLocalTimes = (text: string, now?: number): string =>
  text.replace(TIMESTAMP, (timestamp) => formatTime(timestamp, now))

const TIMESTAMP = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/** A number of things: `1 bead`, `2 beads`. */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** `950`, `12.3k`, `4.5M`. */
export function formatCount(count: number): string {
  if (count < 1000) return String(count)
  return count < 1e6 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1e6).toFixed(1)}M`
}
