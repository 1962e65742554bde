import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { formatAge, sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { ServiceProcessView, Status } from '../../src/connect/services/index.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope, withItems } from '../context/envelope.ts'
import { type JsonOption, parseCount, withJson } from '../context/options.ts'
import { renderLive, type WatchOption, watched, withWatch } from '../context/watch.ts'
import { Exit } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'
import { timers } from '../io/timers.ts'
import { checksOf, isHealthy } from './checks.ts'

interface LogOptions extends JsonOption {
  lines: number
  follow?: true
}

export function serviceCommands(program: Command, context: CommandContext): void {
  const service = program.command('service').description('manage the services of a city and its packs')
  withWatch(withJson(service.command('list').description('list services and their state'))).action(
    async (options: JsonOption & WatchOption) => {
      const city = await context.city()
      await renderLive(context, city, options, (io) => list(io, city, options))
    },
  )
  withWatch(withJson(service.command('show').description('show a service and the process behind it')))
    .argument('<service>')
    .action(watched(context, show))
  withJson(service.command('restart').description('restart the process of a service'))
    .argument('<service>')
    .action((name: string, options: JsonOption) => restart(context, name, options))
  withJson(service.command('logs').description('show the output of a service'))
    .argument('<service>')
    .option('-n, --lines <n>', 'number of last lines', parseCount, 100)
    .option('-f, --follow', 'follow new output until ctrl-c')
    .action((name: string, options: LogOptions) => logs(context, name, options))
  withJson(service.command('doctor').description('check a service step by step, with fixes'))
    .argument('<service>')
    .action((name: string, options: JsonOption) => doctor(context, name, options))
}

async function list(io: Io, city: CityClient, options: JsonOption): Promise<void> {
  const { items } = await city.call('GET ~/services')
  const services = items ?? []
  if (options.json) {
    const { path: city_path } = await city.call('GET ~')
    return printJson(io, envelope(withItems({ city_path, live: true, services }, services)))
  }
  printTable(
    io,
    services,
    [
      { header: 'NAME', value: ({ service_name }) => service_name },
      { header: 'KIND', value: ({ kind }) => kind },
      { header: 'SERVICE', value: ({ state }) => state },
      { header: 'LOCAL', value: ({ local_state }) => local_state },
      { header: 'PUBLISH', value: ({ publication_state }) => publication_state },
      { header: 'URL', value: ({ url }) => url ?? '-' },
      { header: 'REASON', value: reasonOf, minWidth: 16 },
    ],
    'The city has no services; they are declared by [[service]] in city.toml, or come with packs.',
  )
}

/** Reason it is not ready; a route that works is no reason. */
const reasonOf = ({ reason = '' }: Status): string => (reason === 'route_active' ? '' : reason)

const read = async (city: CityClient, name: string): Promise<{ status: Status; process: ServiceProcessView }> => {
  const params = { name }
  const status = await city.call('GET ~/service/{name}', { params })
  return { status, process: await city.call('GET ~/service/{name}/process', { params }) }
}

async function show(context: CommandContext, name: string, options: JsonOption): Promise<void> {
  const { io } = context
  const { status, process } = await read(await context.city(), name)
  if (options.json) return printJson(io, envelope({ ...status, ...process }))
  const now = Date.now()
  const lines: [string, string | undefined][] = [
    ['service', `${status.service_name} (${status.kind})`],
    [
      'state',
      `${status.local_state}${reasonOf(status) && `: ${reasonOf(status)}`}, since ${formatAge(status.updated_at, now)}`,
    ],
    ['declared', process.declared_at],
    ['contract', status.workflow_contract],
    ['command', process.command.join(' ') || undefined],
    ['folder', process.command.length > 0 ? process.folder : undefined],
    ['process', process.pid === undefined ? undefined : `${process.pid}, start ${process.starts}`],
    ['last exit', process.last_exit],
    ['next start', process.next_start_at],
    ['socket', process.socket],
    ['log', process.log],
    ['state root', status.state_root],
    ['published', `${status.publication_state}${status.url === undefined ? '' : ` at ${status.url}`}`],
    ['to do', process.to_do],
  ]
  for (const [label, value] of lines) {
    if (value !== undefined) printLine(io, `${label.padEnd(11)} ${sanitizeLine(value)}`)
  }
}

async function restart(context: CommandContext, name: string, options: JsonOption): Promise<void> {
  const city = await context.city()
  const restarted = await city.call('POST ~/service/{name}/restart', { params: { name } })
  if (options.json) return printJson(context.io, envelope({ ...restarted }))
  printLine(context.io, `Service ${name} was restarted; \`gc service show ${name}\` shows when it is ready.`)
}

async function logs(context: CommandContext, name: string, { lines, follow, json }: LogOptions): Promise<void> {
  const { io } = context
  const city = await context.city()
  const log = await city.call('GET ~/service/{name}/log', { params: { name }, query: { lines } })
  if (json) printJson(io, log)
  else if (log.text !== '') io.out(sanitizeLines(log.text))
  else if (!follow) printLine(io, `Service ${name} printed nothing so far.`)
  if (!follow) return
  const input = { params: { name }, query: { from: log.offset } }
  for await (const { data } of city.follow('GET ~/service/{name}/log/stream', input, { signal: io.signal, timers })) {
    if (!('text' in data)) continue
    if (json) printJson(io, data)
    else io.out(sanitizeLines(data.text))
  }
}

async function doctor(context: CommandContext, name: string, options: JsonOption): Promise<void> {
  const { io } = context
  const { status, process } = await read(await context.city(), name)
  const checks = checksOf(status, process)
  const ok = isHealthy(checks)
  if (options.json) printJson(io, { ...envelope({ service: name, checks }), ok })
  else {
    for (const { check, ok: passed, message } of checks)
      printLine(io, `${passed ? 'ok  ' : 'FAIL'}  ${check.padEnd(12)} ${sanitizeLine(message)}`)
    if (process.to_do !== undefined) printLine(io, `To do: ${sanitizeLine(process.to_do)}`)
  }
  if (!ok) throw new Exit(1)
}
