import type { Output } from '../../src/client/operations.ts'
import { formatDuration, formatTime } from '../../src/client/text.ts'
import { landingActions, stateWords } from './landing-actions.ts'
import { isOneOf, type Line, text } from './page.ts'
import { fieldLines, section, textLines } from './sections.ts'
import { type Tone, toneOf } from './tones.ts'

type Log = Output<'GET ~/landing/{id}/log'>
type Batch = Log['batches'][number]
type Check = Batch['checks'][number]

/** A branch on its way: how it stands, and what each of its batches and checks came to. */
export const landingPage = text({
  name: 'landing',
  about: 'landing',
  takes: 'the id of a landing',
  title: 'landing',
  help: 'a submitted branch: its state, its batches and the results of their checks',
  isChangedBy: isOneOf('land.'),
  load: async ({ city, subject: id, signal }) => {
    const { landing, batches } = await city.call('GET ~/landing/{id}/log', {
      params: { id },
      ...(signal && { signal }),
    })
    const { state, bead_id: bead, session } = landing
    const opens = bead ? { page: 'bead', subject: bead } : session ? { page: 'session', subject: session } : undefined
    return {
      head: headOf(landing),
      lines: [...fieldsOf(landing), ...batches.toReversed().flatMap(batchLines), ...noBatch(state, batches)],
      actions: landingActions(landing),
      opens: opens && { ...opens, city: city.name },
    }
  },
})

function headOf({ id, state, branch, target, reason }: Log['landing']): Line[] {
  return [
    { text: `${id} · ${stateWords(state)} · ${branch} → ${target}`, tone: toneOf(state) },
    ...(reason === undefined ? [] : [{ text: reason, tone: toneOf(state), hang: 2 }]),
  ]
}

const fieldsOf = (landing: Log['landing']): Line[] =>
  fieldLines([
    ['rig', landing.rig],
    ['commit', landing.head],
    ['try', String(landing.try)],
    ['bead', landing.bead_id],
    ['agent', landing.agent],
    ['session', landing.session],
    ['submitted', `${formatTime(landing.submitted_at)}, by ${landing.submitted_by}`],
    ['last change', formatTime(landing.updated_at)],
    ['waits for', landing.waits_for],
    ['conflicts in', landing.files?.join(', ')],
    ['landed as', landing.merged],
  ])

const noBatch = (state: Log['landing']['state'], batches: readonly Batch[]): Line[] =>
  batches.length > 0 || state === 'landed' ? [] : [{ text: '' }, { text: 'no batch had it yet', tone: 'quiet' }]

/** A batch, its outcome, and its checks in their order. */
function batchLines({ id, base, position, size, state, outcome, created_at: at, checks }: Batch): Line[] {
  const facts = [`batch ${id}`, `place ${position + 1} of ${size}`, outcome ?? state, formatTime(at)]
  return section(facts.join(' · '), [{ text: `on ${base.slice(0, 12)}`, tone: 'quiet' }, ...checks.flatMap(checkLines)])
}

const VERDICTS: Readonly<Record<string, Tone>> = { green: 'good', red: 'bad', none: 'warning' }

/** A check: up to which landing it checked, how that went, and what it printed unless all went well. */
function checkLines({ of, commit, state, verdict, reason, output = '', started_at, ended_at }: Check): Line[] {
  const took = started_at && ended_at ? formatDuration(Date.parse(ended_at) - Date.parse(started_at)) : undefined
  const since = started_at && !ended_at ? `since ${formatTime(started_at)}` : undefined
  const facts = [verdict ?? state, `up to ${of}`, commit.slice(0, 12), took ?? since, reason].filter(Boolean)
  return [
    { text: facts.join(' · '), tone: verdict === undefined ? 'busy' : (VERDICTS[verdict] ?? 'plain'), hang: 2 },
    ...(verdict === 'green' || output.trim() === '' ? [] : textLines(output.trimEnd(), '  ')),
  ]
}
