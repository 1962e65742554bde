/** Colours by their meaning; a panel never names a colour itself. */
export type Tone = 'plain' | 'quiet' | 'strong' | 'good' | 'busy' | 'warning' | 'bad'

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

const TONES: Record<string, Tone> = {
  active: 'good',
  working: 'good',
  running: 'good',
  in_progress: 'busy',
  creating: 'busy',
  'start-pending': 'busy',
  draining: 'busy',
  waiting: 'busy',
  suspended: 'warning',
  quarantined: 'bad',
  'failed-create': 'bad',
  init_failed: 'bad',
  stopped: 'quiet',
  asleep: 'quiet',
  closed: 'quiet',
}

/** The tone of the state of a city, agent, session or bead. */
export const toneOf = (state: string): Tone => TONES[state] ?? 'plain'
