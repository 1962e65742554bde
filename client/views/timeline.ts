import { type RunTimeline, readTimeline } from '../../src/client/run-timeline.ts'
import { displayWidth, formatTime, padTo, truncate } from '../../src/client/text.ts'
import { isOneOf, type Line, text } from './page.ts'
import { costOf, formatWorkTime, isBookkeeping, markOf, statusOf, type TimelineStep, titleOf } from './steps.ts'
import { toneOf } from './tones.ts'

const MAX_STEPS = 1_000
/** Columns of a title, and of the time of the run. */
const [TITLE, BAR] = [26, 28]
const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled', 'skipped'])

/** Working times of a run's steps as a picture, then outcomes, sessions and costs. */
export const timelinePage = text({
  name: 'timeline',
  about: 'run',
  title: 'timeline',
  help: 'when each step of a run was worked on, with its sessions, tokens and money',
  isChangedBy: isOneOf('run.', 'execution.', 'bead.'),
  load: async ({ city, subject, signal }) => {
    const timeline = await readTimeline(city, subject, MAX_STEPS, signal)
    return { lines: timelineLines(timeline, Date.now()), opens: { page: 'run', city: city.name, subject } }
  },
})

/** The picture, the states of the run, then those of each step. */
export function timelineLines(
  { states, steps, status, started_at, failure, next_cursor: next }: RunTimeline,
  now: number,
): Line[] {
  const shown = steps.filter(({ kind }) => !isBookkeeping(kind))
  const changes = [...states, ...shown.flatMap((step) => step.states)]
  const times = changes.map(({ at }) => Date.parse(at)).filter(Number.isFinite)
  const begin = Date.parse(started_at) || Math.min(now, ...times)
  const end = Math.max(begin + 1, ENDED.has(status) ? Math.max(begin, ...times) : now)
  const width = Math.max(0, ...shown.map(({ bead_id }) => displayWidth(bead_id)))
  const ends = `${formatTime(started_at, end)}${formatTime(new Date(end).toISOString(), end).padStart(BAR - 8)}`
  return [
    { text: `${' '.repeat(width + TITLE + 5)}${ends}`, tone: 'quiet', isPicture: true, said: '' },
    ...shown.map((step) => barLine(step, width, { begin, end })),
    ...(failure ? [{ text: failure, tone: 'bad' as const }] : []),
    ...(next ? [{ text: `Only its first ${steps.length} steps are shown.`, tone: 'warning' as const }] : []),
    { text: '' },
    ...states.map(
      ({ status: state, at, by, reason }): Line => ({
        text: [formatTime(at), state.padEnd(10), by, reason].filter(Boolean).join('  '),
        tone: toneOf(state),
      }),
    ),
    { text: '' },
    ...shown.flatMap(stepLines),
  ]
}

interface Period {
  readonly begin: number
  readonly end: number
}

/** One step on one line: when it waited (`·`) and was worked on (`█`), how long, and for how much. */
function barLine(step: TimelineStep, width: number, period: Period): Line {
  const status = statusOf(step)
  const title = padTo(truncate(titleOf(step), TITLE), TITLE)
  const facts = [formatWorkTime(step.seconds), costOf(step)].filter(Boolean).join(' · ')
  const text = ` ${markOf(status)} ${padTo(step.bead_id, width)} ${title} ${barOf(step, period)} ${facts}`
  const said = [`${step.bead_id} ${titleOf(step)}: ${status}`, facts].filter(Boolean).join(', ')
  return { text, tone: toneOf(status), isPicture: true, said }
}

/** Work is never too short to be seen. */
function barOf({ states }: TimelineStep, { begin, end }: Period): string {
  const columnOf = (time: number) => Math.max(0, Math.floor(((time - begin) / (end - begin)) * BAR))
  const columns = Array.from({ length: BAR }, () => ' ')
  for (const [at, state] of states.entries()) {
    const isWork = state.status === 'active'
    if (!isWork && state.status !== 'pending') continue
    const next = states[at + 1]
    const from = Math.min(BAR - 1, columnOf(Date.parse(state.at)))
    const to = next === undefined ? BAR : Math.max(from + 1, columnOf(Date.parse(next.at)))
    columns.fill(isWork ? '█' : '·', from, to)
  }
  return columns.join('')
}

function stepLines(step: TimelineStep): Line[] {
  const { bead_id, sessions, seconds, input_tokens: input, output_tokens: output } = step
  const used = input + output > 0 ? `${input} in · ${output} out · ${costOf(step)}` : ''
  const facts = [...sessions, formatWorkTime(seconds), used].filter(Boolean)
  return [
    { text: `${bead_id}  ${titleOf(step)}`, tone: 'strong', hang: bead_id.length + 2 },
    ...(facts.length > 0 ? [{ text: `  ${facts.join(' · ')}`, tone: 'quiet' as const }] : []),
    ...step.states.map(({ status, at }): Line => ({ text: `  ${formatTime(at)}  ${status}`, tone: toneOf(status) })),
  ]
}
