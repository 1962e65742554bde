import type { Command } from 'commander'
import type { AttentionItem } from '../../src/agents/attention/schema.ts'
import { ago, type Colour, plainLines } from '../../src/client/text.ts'
import type { Here } from '../context/context.ts'
import { type Json, withJson } from '../context/options.ts'
import { json, line } from '../io/io.ts'
import { table } from '../io/table.ts'

/** What waits for a person, and answering it in place. */
export function attentionCommands(program: Command, here: Here): void {
  const attention = program.command('attention').description('what waits for a person, the longest first')
  withJson(attention).action(async (options: Json) => {
    const city = await here.city()
    const list = await city.call('GET ~/attention')
    if (options.json) return json(here.io, list)
    show(here, list.items)
    for (const fault of list.partial_errors ?? []) here.io.err(`${fault}\n`)
  })
  attention
    .command('answer')
    .description('answer what a session asks')
    .argument('<session>', 'its id, alias or name')
    .argument('<answer>', 'approve, approve_always, deny or deny_always; of a dialog the number of an option')
    .option('--request <id>', 'which question is meant; the one that waits longest when absent')
    .action((session: string, action: string, options: { request?: string }) =>
      answer(here, session, action, options.request),
    )
}

const COLOURS: Record<AttentionItem['kind'], Colour> = {
  permission: 'yellow',
  dialog: 'yellow',
  failed: 'red',
  parked: 'red',
}

function show({ io }: Here, items: readonly AttentionItem[]): void {
  const now = Date.now()
  table(
    io,
    items,
    [
      { head: 'SESSION', of: ({ session_id }) => session_id ?? '–' },
      { head: 'AGENT', of: ({ agent }) => agent, least: 8 },
      { head: 'SINCE', of: ({ since }) => ago(since, now) },
      { head: 'KIND', of: ({ kind }) => kind, colour: ({ kind }) => COLOURS[kind] },
      { head: 'ASKS', of: ({ asks }) => asks.replaceAll('\n', ' '), least: 20 },
      { head: 'WHAT TO DO', of: remedyOf, least: 10 },
    ],
    'Nothing waits for a person.',
  )
  for (const { session_id, answers, options } of items) {
    if (!options) continue
    line(io, `\n${session_id} asks which:`)
    for (const [index, option] of options.entries()) line(io, `  ${answers[index]}  ${plainLines(option)}`)
  }
}

function remedyOf({ kind, session_id, session_state, bead_id, answers }: AttentionItem): string {
  if (answers.length > 0) return `gc attention answer ${session_id} ${answers.join('|')}`
  if (kind === 'parked') return `gc bead show ${bead_id}, then gc bead unpark ${bead_id}`
  if (kind === 'dialog') return `gc session attach ${session_id}`
  if (session_state === 'failed-create') return `mend it, then gc session close ${session_id}`
  return session_id === undefined ? 'mend it; it is tried again' : `gc session wake ${session_id}`
}

async function answer(here: Here, session: string, action: string, request: string | undefined): Promise<void> {
  const city = await here.city()
  const body = { action, ...(request !== undefined && { request_id: request }) }
  await city.call('POST ~/session/{id}/respond', { params: { id: session }, body })
  line(here.io, `Session ${session} has its answer: ${action}.`)
}
