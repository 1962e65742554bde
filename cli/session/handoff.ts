import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'

interface Handoff extends JsonOption {
  target?: string
  subject?: string
  message?: string
  auto?: true
  hookFormat?: string
}

/** Sends a message to the next conversation of a session, and starts it. */
export function handoffCommand(program: Command, context: CommandContext): void {
  program
    .command('handoff')
    .description('continue in a new conversation with this message')
    .argument('[subject]', 'subject; default is Handoff')
    .argument('[message]', 'message; `-` for standard input')
    .option('-s, --subject <text>', 'subject, instead of the argument')
    .option('-m, --message <text>', 'message, instead of the argument')
    .option('--target <who>', 'session or agent to hand over to; this one keeps running')
    .option('--auto', 'only send the message; the program compacts itself')
    .option('--hook-format <program>', 'accepted for agent programs that call this')
    .option('--json', 'print one line of JSON')
    .action((first: string | undefined, second: string | undefined, options: Handoff) => {
      const subject = options.subject ?? first ?? 'Handoff'
      return handoff(context, subject, options.message ?? second ?? '', options)
    })
}

async function handoff(context: CommandContext, subject: string, message: string, options: Handoff): Promise<void> {
  const own = context.io.env.GC_SESSION_ID
  if (options.auto && !own) return
  const to = options.target ?? own
  if (!to) throw failure('run this inside a session, or give --target')
  const body = message === '-' ? await context.io.readInput() : message
  const city = await context.city()
  await city.call('POST ~/mail', { body: { to, subject: subject.slice(0, 500), body } })
  const restarts = !options.auto && options.target === undefined && own !== undefined
  const mode = options.auto ? 'auto' : restarts ? 'self' : 'remote'
  const target = { ...(options.target !== undefined && { target: options.target }), auto: options.auto === true }
  if (options.json)
    printJson(context.io, { schema_version: '1', ok: true, command: 'handoff', mode, ...target, subject })
  else
    printLine(
      context.io,
      restarts ? 'The message was sent; this session begins a new conversation.' : `The message was sent to ${to}.`,
    )
  if (restarts) await city.call('POST ~/session/{id}/restart', { params: { id: own }, body: { fresh: true } })
}
