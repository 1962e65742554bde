/** Colours by their meaning; a page never names a colour itself. */
export const TONES = [
  ...['plain', 'quiet', 'strong', 'good', 'busy', 'warning', 'bad'],
  ...['keyword', 'string', 'number', 'name'],
] as const
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
  failed: 'bad',
  restart_failed: 'bad',
  degraded: 'warning',
  ready: 'good',
  stopped: 'quiet',
  asleep: 'quiet',
  closed: 'quiet',
  completed: 'quiet',
  canceled: 'quiet',
  skipped: 'quiet',
  blocked: 'quiet',
  asked: 'busy',
  approved: 'good',
  landed: 'quiet',
  discarded: 'quiet',
  green: 'good',
  red: 'bad',
  submitted: 'busy',
  in_batch: 'busy',
  pr_open: 'busy',
  pr_waiting: 'busy',
  pr_merging: 'busy',
  waits_turn: 'warning',
  held: 'warning',
  conflict: 'bad',
  parked: 'bad',
  lost: 'bad',
  already: 'quiet',
  cancelled: 'quiet',
  given_up: 'quiet',
}

/** The tone of a state of a city, agent, session, bead, run, step, service, change or landing, or of a verdict. */
export const toneOf = (state = ''): Tone => STATES[state] ?? 'plain'
