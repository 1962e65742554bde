import type { Command } from 'commander'
import type { AttentionItem } from '../../src/agents/attention/schema.ts'
import { type Colour, formatAge, sanitizeLines } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'

/** Commands that list what needs attention, and answer it. */
export function attentionCommands(program: Command, context: CommandContext): void {
  const attention = program.command('attention').description('list what needs a person’s attention, oldest first')
  withJson(attention).action(async (options: JsonOption) => {
    const city = await context.city()
    const list = await city.call('GET ~/attention')
    if (options.json) return printJson(context.io, list)
    show(context, list.items)
    for (const error of list.partial_errors ?? []) context.io.err(`${error}\n`)
  })
  attention
    .command('answer')
    .description('answer a question of a session')
    .argument('<session>', 'its id, alias or name')
    .argument('<answer>', 'approve, approve_always, deny or deny_always; for a dialog the number of an option')
    .option('--request <id>', 'which question to answer; default is the oldest')
    .action((session: string, action: string, options: { request?: string }) =>
      answer(context, session, action, options.request),
    )
}

/** Kinds at which nothing has failed. */
const COLOURS: Record<string, Colour> = { permission: 'yellow', dialog: 'yellow', detached: 'yellow' }

function show({ io }: CommandContext, items: readonly AttentionItem[]): void {
  const now = Date.now()
  printTable(
    io,
    items,
    [
      { header: 'SESSION', value: ({ session_id }) => session_id ?? '–' },
      { header: 'AGENT', value: ({ agent }) => agent, minWidth: 8 },
      { header: 'SINCE', value: ({ since }) => formatAge(since, now) },
      { header: 'KIND', value: ({ kind }) => kind, colour: ({ kind }) => COLOURS[kind] ?? 'red' },
      { header: 'ASKS', value: ({ asks }) => asks.replaceAll('\n', ' '), minWidth: 20 },
      { header: 'WHAT TO DO', value: ({ to_do }) => to_do, minWidth: 10 },
    ],
    'Nothing needs attention.',
  )
  for (const { session_id, answers, options } of items) {
    if (!options) continue
    printLine(io, `\n${session_id} offers these options:`)
    for (const [index, option] of options.entries()) printLine(io, `  ${answers[index]}  ${sanitizeLines(option)}`)
  }
}

async function answer(
  context: CommandContext,
  session: string,
  action: string,
  request: string | undefined,
): Promise<void> {
  const city = await context.city()
  const body = { action, ...(request !== undefined && { request_id: request }) }
  await city.call('POST ~/session/{id}/respond', { params: { id: session }, body })
  printLine(context.io, `Session ${session} was answered with ${action}.`)
}
