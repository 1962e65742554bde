import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { OtherSupervisor, Unreachable } from '../../src/client/errors.ts'
import type { CityInfo } from '../../src/supervisor/schema.ts'
import { type CommandContext, realPath } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { type JsonOption, parseDurationOption, withJson } from '../context/options.ts'
import { waitForOpening, waitForSupervisor } from '../context/requests.ts'
import { failure, notFound } from '../io/exit.ts'
import { pause, printJson, printLine } from '../io/io.ts'
import { fetchMissingPacks, listAutomaticPrograms, runWarmups } from '../pack/prepare.ts'
import { printRemaining } from '../session/sweep.ts'

interface Control extends JsonOption {
  timeout: number
  dryRun?: true
}

/** The commands that start and stop one city. */
export function cityControlCommands(program: Command, context: CommandContext): void {
  controlled(program, 'start', 'start a city')
    .option('-n, --dry-run', 'print the plan and change nothing')
    .option('--no-auto-restart', 'accepted')
    .option('--verbose', 'accepted')
    .option('--foreground', 'accepted: `gc serve` runs in the foreground')
    .action((name: string | undefined, options: Control) => start(context, name, options))
  controlled(program, 'stop', 'stop a city and its sessions')
    .option('--force', 'accepted: sessions are always stopped')
    .option('--clean', 'accepted: sessions leave nothing behind')
    .action((name: string | undefined, options: Control) => stop(context, name, options))
  controlled(program, 'restart', 'stop a city and start it again').action(
    async (name: string | undefined, options: Control) => {
      const current = await context.withSupervisor()
      const city = await registered(current, name)
      if (city && !isDown(city)) await stopCity(current, city, options.timeout)
      await start(current, city?.name ?? name, options, 'restart')
    },
  )
}

/** Milliseconds that a city may take to start or stop. */
const DEFAULT_TIMEOUT = 60_000

const controlled = (program: Command, verb: string, description: string): Command =>
  withJson(program.command(verb).description(description))
    .argument('[city]', 'name or folder of the city')
    .option('--timeout <duration>', 'timeout, such as 30s or 5m', parseDurationOption, DEFAULT_TIMEOUT)

const isDown = ({ running, status }: CityInfo): boolean =>
  !running && (status === 'stopped' || status === 'init_failed')

/** The registered city of a name or folder; without one, the city to work in. */
async function registered(context: CommandContext, name: string | undefined): Promise<CityInfo | undefined> {
  const cities = await context.cities()
  if (name === undefined) {
    const around = cityFolderAround(context)
    if (around !== undefined) return cities.find(({ path }) => realPath(path) === realPath(around))
    const { name: chosen } = await context.city()
    return cities.find((city) => city.name === chosen)
  }
  const path = realPath(resolve(context.io.cwd, name))
  return cities.find((city) => city.name === name) ?? cities.find((city) => realPath(city.path) === path)
}

/** The city folder that the current folder is, unless the environment or an option names a city. */
function cityFolderAround(context: CommandContext): string | undefined {
  const { cwd, env } = context.io
  return !context.isCityNamed && !env.GC_CITY && existsSync(join(cwd, 'city.toml')) ? cwd : undefined
}

async function start(
  context: CommandContext,
  name: string | undefined,
  options: Control,
  verb: 'start' | 'restart' = 'start',
): Promise<void> {
  const current = options.dryRun ? context : await context.withSupervisor()
  const city = await registered(current, name)
  const report = ({ name: city_name, path: city_path }: { name: string; path: string }, message: string) => {
    if (options.json) printJson(context.io, envelope({ command: verb, message, city_name, city_path }))
    else printLine(context.io, message)
  }
  if (!city) return startNew(current, name ?? context.io.cwd, options, report)
  if (options.dryRun) return report(city, `City ${city.name} ${city.running ? 'runs' : 'would be started'}.`)
  if (city.running && !city.error) return report(city, `City ${city.name} runs at ${city.path}.`)
  await startCity(current, city, options.timeout)
  report(city, `City ${city.name} is up at ${city.path}.`)
}

type Report = (city: { name: string; path: string }, message: string) => void

/** Registers the city of a folder and starts it. */
async function startNew(context: CommandContext, name: string, options: Control, report: Report): Promise<void> {
  const path = resolve(context.io.cwd, name)
  if (!existsSync(join(path, 'city.toml'))) {
    throw notFound(
      'city-not-found',
      `there is no city called ${name}, and no city.toml in ${path}; \`gc init ${name}\` makes one`,
    )
  }
  if (options.dryRun)
    return report({ name: basename(path), path }, `The city at ${path} would be registered and started.`)
  await fetchMissingPacks(context, path)
  await listAutomaticPrograms(context, path)
  await runWarmups(context, path)
  const accepted = await context.client.call('POST /v0/city/register', { body: { path } })
  const { payload } = await waitForOpening(context, accepted, path)
  const city = { name: String(payload.name), path: String(payload.path) }
  report(city, `City ${city.name} is up at ${city.path}.`)
}

async function startCity(context: CommandContext, city: CityInfo, timeout: number): Promise<void> {
  await fetchMissingPacks(context, city.path)
  await runWarmups(context, city.path)
  if (isDown(city) || city.status === 'stopping' || city.error) {
    await waitForSupervisor(context, await context.client.city(city.name).call('POST ~/start'))
    return
  }
  await waitUntil(context, city.name, timeout, ({ running, error }) => running || error !== undefined)
}

async function stop(context: CommandContext, name: string | undefined, options: Control): Promise<void> {
  const city = await registered(context, name).catch((error: unknown) => {
    if (!(error instanceof Unreachable) || error instanceof OtherSupervisor) throw error
    throw failure(`nothing to stop: no supervisor answers at ${error.url}`)
  })
  if (!city) {
    const gone = name === undefined ? (await context.cities()).find(({ path }) => !existsSync(path)) : undefined
    const then = gone
      ? `${gone.name} was at ${gone.path}, which is gone: \`gc unregister ${gone.name}\` ends it`
      : '`gc cities` lists them'
    throw notFound('city-not-found', `there is no city ${name ?? 'here'}; ${then}`)
  }
  await stopCity(context, city, options.timeout)
  const message = `City ${city.name} is stopped; \`gc start ${city.name}\` starts it again, \`gc down\` ends everything.`
  if (options.json) return printJson(context.io, envelope({ command: 'stop', message, city_path: city.path }))
  printLine(context.io, message)
  await printRemaining(context.io, city.path)
}

async function stopCity(context: CommandContext, { name }: CityInfo, timeout: number): Promise<void> {
  await context.client.city(name).call('POST ~/stop')
  await waitUntil(context, name, timeout || DEFAULT_TIMEOUT, ({ status }) => status === 'stopped')
}

/** Waits until a city is in a state; throws after `timeout` milliseconds. */
async function waitUntil(
  context: CommandContext,
  name: string,
  timeout: number,
  isDone: (city: CityInfo) => boolean,
): Promise<void> {
  const until = Date.now() + timeout
  for (;;) {
    const city = (await context.cities()).find((each) => each.name === name)
    if (!city) throw failure(`city ${name} is no longer registered`)
    if (isDone(city)) return
    if (Date.now() > until || context.io.signal.aborted)
      throw failure(
        `city ${name} is ${city.status ?? 'running'} after ${timeout / 1000} s; \`gc cities\` shows its state`,
      )
    await pause(50, context.io.signal)
  }
}
