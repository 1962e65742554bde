import type { Clock } from '../../core/clock.ts'
import { html, type Markup } from '../../http/html.ts'
import { visible } from './visible-text.ts'

const STEPS = [
  [31_536_000, 'year'],
  [2_592_000, 'month'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const

/** Time ago something happened, with the exact time as a tooltip. */
export function timeAgo(time: string, clock: Clock): Markup {
  const seconds = Math.max(0, Math.floor((clock.now() - Date.parse(time)) / 1000))
  const [size, unit] = STEPS.find(([size]) => seconds >= size) ?? [1, undefined]
  const count = Math.floor(seconds / size)
  const words = unit === undefined ? 'just now' : `${count} ${unit}${count === 1 ? '' : 's'} ago`
  return html`<time datetime="${time}" title="${time.replace('T', ' ').replace('Z', ' UTC')}">${words}</time>`
}

export const plural = (count: number, thing: string, things = `${thing}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? thing : things}`

/** Text without markup, with its line breaks. */
export const preformatted = (text: string): Markup | false =>
  text !== '' && html`<p class="as-written" dir="auto">${visible(text)}</p>`
