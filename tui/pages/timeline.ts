import type { Output } from '../../src/client/operations.ts'
import { isOneOf, type Line, text } from './page.ts'
import { toneOf } from './tones.ts'

type Step = Output<'GET ~/runs/{run_id}/timeline'>['steps'][number]

const LIMIT = 500

/** What became of every step of a run, when, by whom, and what it cost. */
export const timelinePage = text({
  name: 'timeline',
  about: 'run',
  title: 'timeline',
  help: 'every state of every step of a run, with its sessions, tokens and money',
  isChangedBy: isOneOf('run.', 'execution.', 'bead.'),
  load: async ({ city, subject: run_id, signal }) => {
    const { states, steps } = await city.call('GET ~/runs/{run_id}/timeline', {
      params: { run_id },
      query: { limit: LIMIT },
      ...(signal && { signal }),
    })
    const head = states.map(
      ({ status, at, by, reason }): Line => ({
        text: [at, status.padEnd(10), by, reason].filter(Boolean).join('  '),
        tone: toneOf(status),
      }),
    )
    return { lines: [...head, { text: '' }, ...steps.flatMap(stepLines)] }
  },
})

function stepLines(step: Step): Line[] {
  const { bead_id, title, kind, attempt, sessions, seconds, input_tokens: input, output_tokens: output } = step
  const facts = [attempt && `attempt ${attempt}`, kind, ...sessions, seconds > 0 && `${Math.round(seconds)} s`]
  const cost = input + output > 0 ? `${input} in · ${output} out · $${step.cost_usd_estimate.toFixed(2)}` : ''
  return [
    { text: `${bead_id}  ${title}`, tone: 'strong', hang: bead_id.length + 2 },
    { text: `  ${[...facts, cost].filter(Boolean).join(' · ')}`, tone: 'quiet' },
    ...step.states.map(({ status, at }): Line => ({ text: `  ${at}  ${status}`, tone: toneOf(status) })),
  ]
}
