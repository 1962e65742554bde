import type { Tone } from '../pages/tones.ts'

/** The properties of ink's `Text` for a tone; without colour only the weight differs. */
export interface TextStyle {
  color?: string
  dimColor?: boolean
  bold?: boolean
}

const COLOURED: Record<Tone, TextStyle> = {
  plain: {},
  quiet: { dimColor: true },
  strong: { bold: true },
  good: { color: 'green' },
  busy: { color: 'cyan' },
  warning: { color: 'yellow' },
  bad: { color: 'red' },
}

const WEIGHT: Record<Tone, TextStyle> = {
  plain: {},
  quiet: {},
  strong: { bold: true },
  good: {},
  busy: {},
  warning: { bold: true },
  bad: { bold: true },
}

export type Theme = (tone: Tone) => TextStyle

export const createTheme = (colour: boolean): Theme => {
  const styles = colour ? COLOURED : WEIGHT
  return (tone) => styles[tone]
}
