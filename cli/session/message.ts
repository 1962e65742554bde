import { type Command, Option } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { waitForCity } from '../context/requests.ts'
import { usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'

type Intent = 'default' | 'follow_up' | 'interrupt_now'

interface Send extends JsonOption {
  wait: boolean
}

/** Commands that send messages to sessions and answer their questions. */
export function messageCommands(session: Command, context: CommandContext): void {
  withJson(session.command('send').description('send a session a message'))
    .argument('<session>')
    .argument('<text...>', 'message; `-` for standard input')
    .option('--later', 'deliver it after the current turn')
    .option('--now', 'interrupt the current turn')
    .option('--no-wait', 'do not wait for its delivery')
    .action((id: string, words: string[], options: Send & { later?: true; now?: true }) =>
      send(context, id, words, options.now ? 'interrupt_now' : options.later ? 'follow_up' : 'default', options),
    )
  withJson(session.command('submit').description('send a session a message with an intent'))
    .argument('<session>')
    .argument('<text...>')
    .addOption(
      new Option('--intent <intent>', 'delivery: default, after the turn, or immediate')
        .choices(['default', 'follow_up', 'interrupt_now'])
        .default('default'),
    )
    .option('--no-wait', 'do not wait for its delivery')
    .action((id: string, words: string[], options: Send & { intent: Intent }) =>
      send(context, id, words, options.intent, options),
    )
  defineNudge(session.command('nudge'), context)
  withJson(session.command('respond').description('answer a question of a session'))
    .argument('<session>')
    .argument('<answer>', 'approve, approve_always, deny, or the number of an option')
    .option('--request <id>', 'question to answer; default is the current one')
    .option('--text <text>', 'note to send with the answer')
    .action((id: string, action: string, options: JsonOption & { request?: string; text?: string }) =>
      respond(context, id, action, options),
    )
}

interface Nudge extends JsonOption {
  delivery: string
  session?: string
  message?: string
}

/** Defines `nudge`, the name that agents and old prompts use for a message to a session. */
export function defineNudge(command: Command, context: CommandContext): void {
  withJson(command.description('send a session a message without waiting'))
    .argument('[session]')
    .argument('[text...]')
    .option('--session <session>', 'session, instead of the argument')
    .option('--message <text>', 'message, instead of the argument')
    .addOption(
      new Option('--delivery <when>', 'immediate, or queue for after the current turn')
        .choices(['immediate', 'wait-idle', 'queue'])
        .default('wait-idle'),
    )
    .action((first: string | undefined, rest: string[], options: Nudge) => {
      const words = options.session === undefined || first === undefined ? rest : [first, ...rest]
      const id = options.session ?? first
      if (id === undefined) throw usageError('name the session: `gc session nudge <session> <text>`')
      const text = options.message === undefined ? words : [options.message]
      if (text.length === 0) throw usageError('give the message: `gc session nudge <session> <text>`')
      return send(context, id, text, options.delivery === 'queue' ? 'follow_up' : 'default', {
        ...options,
        wait: options.delivery === 'immediate',
      })
    })
}

async function send(
  context: CommandContext,
  id: string,
  words: string[],
  intent: Intent,
  options: Send,
): Promise<void> {
  const message = words.join(' ') === '-' ? await context.io.readInput() : words.join(' ')
  const city = await context.city()
  const accepted = await city.call('POST ~/session/{id}/submit', { params: { id }, body: { message, intent } })
  if (!options.wait) return options.json ? printJson(context.io, accepted) : printLine(context.io, `Sent to ${id}.`)
  const { payload } = await waitForCity(context, city, accepted)
  if (options.json) return printJson(context.io, payload)
  printLine(context.io, payload.queued === true ? `Queued for ${id}.` : `Delivered to ${id}.`)
}

async function respond(
  context: CommandContext,
  id: string,
  action: string,
  options: JsonOption & { request?: string; text?: string },
): Promise<void> {
  const city = await context.city()
  const { request, text } = options
  const body = { action, ...(request !== undefined && { request_id: request }), ...(text !== undefined && { text }) }
  const response = await city.call('POST ~/session/{id}/respond', { params: { id }, body })
  if (options.json) return printJson(context.io, response)
  printLine(context.io, `Session ${id} was answered: ${action}.`)
}
