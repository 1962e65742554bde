import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import type { Webhook, WebhookTestResult } from '../../src/connect/webhooks/index.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope, withItems } from '../context/envelope.ts'
import { type JsonOption, oldSpelling, withJson } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import { errorSentence } from '../io/describe-error.ts'
import { Exit, usageError } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'

interface TestOptions extends JsonOption {
  event?: string
  payloadFile?: string
  form?: true
  body?: string
  contentType?: string
  dryRun?: true
}

export function webhookCommands(program: Command, context: CommandContext): void {
  const webhook = program.command('webhook').description('list and test webhooks')
  withWatch(withJson(webhook.command('list').description('list webhooks and their problems'))).action(
    watched(context, list),
  )
  withJson(webhook.command('test').description('deliver a signed sample, with all effects'))
    .argument('<webhook>')
    .option('--event <type>', 'event type; default is that of the first rule')
    .option('--payload-file <file>', 'JSON to deliver; `-` for standard input')
    .addOption(oldSpelling('--payload <file>', 'payloadFile'))
    .option('--form', 'deliver the payload as a form, like Slack')
    .option('--body <file>', 'raw body to deliver; `-` for standard input')
    .option('--content-type <type>', 'type of --body; default is application/json')
    .option('--dry-run', 'show the matching rule and deliver nothing')
    .addOption(oldSpelling('-n', 'dryRun'))
    .action((name: string, options: TestOptions) => test(context, name, options))
}

async function list(context: CommandContext, options: JsonOption): Promise<void> {
  const city = await context.city()
  const { items, total } = await city.call('GET ~/webhooks')
  const webhooks = items ?? []
  if (options.json) return printJson(context.io, envelope(withItems({ webhooks }, webhooks, total)))
  printTable(
    context.io,
    webhooks,
    [
      { header: 'NAME', value: ({ name }) => name },
      { header: 'SCHEME', value: ({ scheme }) => scheme },
      { header: 'VISIBILITY', value: ({ visibility }) => visibility },
      { header: 'PER MINUTE', value: ({ per_minute }) => String(per_minute) },
      { header: 'STARTS', value: startsOf },
      { header: 'URL', value: ({ url }) => url },
      { header: 'PROBLEM', value: ({ problem = '' }) => problem, minWidth: 16 },
    ],
    'The city has no webhooks; they are declared by [[webhook]] in city.toml, or come with packs.',
  )
}

/** Effects of its deliveries. */
const startsOf = ({ rules }: Webhook): string =>
  [...new Set(rules.map(({ target, order }) => (target === 'order' ? (order ?? '') : target)))].join(', ')

async function test(context: CommandContext, name: string, options: TestOptions): Promise<void> {
  const { io } = context
  const { event, form, contentType, dryRun } = options
  const payload = options.payloadFile === undefined ? undefined : await readPayload(io, options.payloadFile)
  if (options.body !== undefined && (payload || form)) {
    throw usageError('--body is delivered unchanged; remove --payload-file and --form')
  }
  if (contentType !== undefined && options.body === undefined) {
    throw usageError('--content-type is the type of --body; add --body <file>')
  }
  const body = options.body === undefined ? undefined : await readText(io, options.body)
  const city = await context.city()
  const result = await city.call('POST ~/webhook/{name}/test', {
    params: { name },
    body: {
      ...(event !== undefined && { event }),
      ...(payload && { payload }),
      ...(form && { form }),
      ...(body !== undefined && { body }),
      ...(contentType !== undefined && { content_type: contentType }),
      ...(dryRun && { dry_run: true }),
    },
  })
  if (options.json) printJson(io, envelope({ ...result }))
  else printResult(io, name, result)
  if (result.status !== undefined && result.status >= 400) throw new Exit(1)
}

function printResult(io: Io, name: string, result: WebhookTestResult): void {
  const { delivered, status, answer, message, rule_index: rule, order, args } = result
  if (!delivered || message === undefined) printLine(io, fitOf(rule, order, message))
  for (const [key, value] of Object.entries(args ?? {})) printLine(io, `  ${sanitizeLine(`${key} = ${value}`)}`)
  if (!delivered) printLine(io, `Nothing was delivered to ${name}.`)
  else
    printLine(
      io,
      `The sender sees ${status} ${answer === undefined ? 'and no body' : sanitizeLine(JSON.stringify(answer))}`,
    )
  if (delivered && message !== undefined) printLine(io, sanitizeLine(`It was rejected: ${message}.`))
}

function fitOf(rule: number, order: string | undefined, message: string | undefined): string {
  if (message !== undefined) return sanitizeLine(`It cannot be followed: ${message}.`)
  if (rule < 0) return 'It fits no rule.'
  return `It fits rule ${rule + 1}${order === undefined ? '' : `, which starts the order ${order}`}.`
}

async function readPayload(io: Io, file: string): Promise<Record<string, unknown>> {
  const value = parse(await readText(io, file), file)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw usageError(`${file} must hold a JSON object`)
}

function readText(io: Io, file: string): Promise<string> {
  return (file === '-' ? io.readInput() : Bun.file(file).text()).catch((error: unknown) => {
    throw usageError(errorSentence(error, io.env))
  })
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usageError(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}
