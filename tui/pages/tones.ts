/** Colours by their meaning; a page never names a colour itself. */
export const TONES = ['plain', 'quiet', 'strong', 'good', 'busy', 'warning', 'bad'] as const
export type Tone = (typeof TONES)[number]

const STATES: Record<string, Tone> = {
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
export const toneOf = (state: string): Tone => STATES[state] ?? 'plain'
