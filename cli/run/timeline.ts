import type { Command } from 'commander'
import { readTimeline } from '../../src/client/run-timeline.ts'
import { formatTime, sanitizeLine } from '../../src/client/text.ts'
import type { RunTimelineStep } from '../../src/orchestration/runs/index.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, parseCount, withJson } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import { printJson, printLine } from '../io/io.ts'

interface Timeline extends JsonOption {
  limit: number
}

/** `gc run timeline`: the outcome of every step, and what it cost. */
export function timelineCommand(run: Command, context: CommandContext): void {
  withWatch(withJson(run.command('timeline').description('show outcome, time, session and cost of every step')))
    .argument('<run>')
    .option('--limit <n>', 'maximum rows', parseCount, 1000)
    .action(watched(context, show))
}

async function show(context: CommandContext, id: string, { json, limit }: Timeline): Promise<void> {
  const timeline = await readTimeline(await context.city(), id, limit)
  if (json) return printJson(context.io, timeline)
  if (timeline.failure) printLine(context.io, sanitizeLine(timeline.failure))
  for (const { status, at, by, reason } of timeline.states) {
    printLine(context.io, sanitizeLine(`${formatTime(at)}  ${status} by ${by}${reason ? `: ${reason}` : ''}`))
  }
  for (const step of timeline.steps) for (const line of linesOf(step)) printLine(context.io, sanitizeLine(line))
  if (timeline.next_cursor) printLine(context.io, `There are more steps: --limit ${limit * 10} shows them.`)
}

function linesOf(step: RunTimelineStep): string[] {
  const { bead_id: id, title, kind, attempt, seconds, states } = step
  const tokens = step.input_tokens + step.output_tokens + step.cache_read_tokens + step.cache_creation_tokens
  const used = [
    ...(seconds > 0 ? [`${seconds.toFixed(1)} s`] : []),
    ...(tokens > 0 ? [`${tokens} tokens`, `$${step.cost_usd_estimate.toFixed(4)}`] : []),
  ]
  const what = [kind, ...(attempt ? [`attempt ${attempt}`] : []), ...used].join(', ')
  return [
    '',
    `${id}  ${title}  (${what})`,
    ...states.map(
      ({ status, at, by, assignee }) => `  ${formatTime(at)}  ${status}${assignee ? ` (${assignee})` : ''} by ${by}`,
    ),
  ]
}
