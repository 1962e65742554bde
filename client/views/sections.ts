import type { Line } from './page.ts'

const NAME = 15

/** Names and values, one a line; those without a value are left out. */
export const fieldLines = (fields: readonly (readonly [string, string | undefined])[]): Line[] =>
  fields.flatMap(([name, value]) => (value ? [{ text: `${name.padEnd(NAME)} ${value}`, hang: NAME + 1 }] : []))

/** Lines below a title; without lines, nothing. */
export const section = (title: string, lines: readonly Line[]): Line[] =>
  lines.length === 0 ? [] : [{ text: '' }, { text: title, tone: 'strong' }, ...lines]

/** The lines of a text that somebody wrote. */
export const textLines = (text: string, indent = ''): Line[] =>
  text.split(/\r?\n/).map((line) => ({ text: indent + line }))
