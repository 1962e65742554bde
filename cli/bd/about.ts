import type { Command } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { GIVEN_STATUSES } from '../bead/status.ts'
import { version } from '../context/version.ts'
import { Exit } from '../io/exit.ts'
import type { BdContext } from './context.ts'

/** The types that gc itself gives a meaning; any other may be used. */
const TYPES: Readonly<Record<string, string>> = {
  task: 'a piece of work; the default',
  bug: 'something that is broken',
  feature: 'something new',
  epic: 'work with beads below it',
  chore: 'upkeep',
  decision: 'a decision and its reasons',
}
const RECORD_TYPES = ['convoy', 'event', 'gate', 'message', 'molecule', 'session', 'spec', 'step', 'wait']

const STATUSES: Readonly<Record<(typeof GIVEN_STATUSES)[number], string>> = {
  open: 'not begun',
  in_progress: 'claimed by a session',
  blocked: 'marked as blocked; one that waits for another bead stays open',
  deferred: 'put off',
  closed: 'done',
  pinned: 'kept, without an assignee',
  hooked: 'on the hook of an agent',
}

/** Commands about the beads as a whole and where they are. */
export function aboutCommands(program: Command, bd: BdContext): void {
  program
    .command('types')
    .description('list the types of beads')
    .action(bd.run(async () => printNamed(bd, 'core_types', TYPES, { custom_types: RECORD_TYPES })))
  program
    .command('statuses')
    .description('list the statuses of beads')
    .action(bd.run(async () => printNamed(bd, 'statuses', STATUSES, {})))
  program
    .command('where')
    .description('show the storage of the beads')
    .action(bd.run(() => where(bd)))
  for (const [name, description] of [
    ['info', 'show the storage and number of beads'],
    ['context', 'show the city, rig and storage in use'],
    ['ping', 'check the connection to the beads'],
  ] as const) {
    program
      .command(name)
      .description(description)
      .allowUnknownOption()
      .action(bd.run(() => info(bd, name)))
  }
  doctorCommand(program, bd)
  configCommands(program, bd)
}

function printNamed(bd: BdContext, key: string, named: Readonly<Record<string, string>>, more: object): void {
  const items = Object.entries(named).map(([name, description]) => ({ name, description }))
  if (bd.print.json) {
    bd.print.value({ [key]: items, ...more })
    return
  }
  for (const { name, description } of items) bd.print.line(`${name.padEnd(12)} ${description}`)
  if (key === 'core_types') bd.print.line(`gc also keeps: ${RECORD_TYPES.join(', ')}. Any other type may be used.`)
}

/** The folder and the prefix of the beads that commands work on. */
async function place(bd: BdContext) {
  const city = await bd.city()
  const rig = await bd.rig()
  const { path, name } = await city.call('GET ~')
  if (rig !== undefined && rig !== name) {
    const found = await city.call('GET ~/rig/{name}', { params: { name: rig } })
    return { city: name, cityPath: path, rig, path: found.path, prefix: found.prefix ?? '' }
  }
  const { workspace } = await city.call('GET ~/config')
  return { city: name, cityPath: path, rig: undefined, path, prefix: workspace.prefix ?? '' }
}

async function where(bd: BdContext): Promise<void> {
  const { path, prefix, cityPath } = await place(bd)
  const database = `${cityPath}/.gc/city.db`
  if (bd.print.json) return bd.print.value({ path, prefix, database_path: database })
  bd.print.line(sanitizeLine(path))
  bd.print.line(`  prefix: ${prefix}`)
  bd.print.line(sanitizeLine(`  database: ${database}`))
}

async function info(bd: BdContext, command: 'info' | 'context' | 'ping'): Promise<void> {
  const begun = Date.now()
  const { city, rig, path, prefix, cityPath } = await place(bd)
  const query = { all: true, limit: 1, rig }
  const { total } = await (await bd.city()).call('GET ~/beads', { query })
  const database = `${cityPath}/.gc/city.db`
  const known = { database_path: database, backend: 'sqlite', city, ...(rig && { rig }), path, prefix }
  if (command === 'ping') {
    const elapsed = Date.now() - begun
    if (bd.print.json) return bd.print.value({ ok: true, status: 'ok', issue_count: total, elapsed_ms: elapsed })
    return bd.print.line(`ok: ${total} beads, ${elapsed} ms`)
  }
  if (bd.print.json) return bd.print.value({ ...known, issue_count: total, bd_version: version })
  for (const [name, value] of Object.entries({ ...known, beads: total }))
    bd.print.line(sanitizeLine(`${name.padEnd(14)} ${value}`))
}

function doctorCommand(program: Command, bd: BdContext): void {
  program
    .command('doctor')
    .description('check this machine, the city and its packs')
    .argument('[words...]')
    .option('--fix', 'fix what can be fixed')
    .allowUnknownOption()
    .action(bd.run((_words: string[], options: { fix?: true }) => doctor(bd, options.fix === true)))
}

async function doctor(bd: BdContext, fix: boolean): Promise<void> {
  const { runDoctor } = await import('../doctor/run-checks.ts')
  const { context, print } = bd
  const results = await runDoctor(context, { city: undefined, fix, timeoutMs: 60_000 })
  const isOk = results.every(({ status }) => status !== 'error')
  const checks = results.map(({ name, status, message, details = [], fix_hint: hint }) => ({
    ...{ name, status: status === 'unknown' ? 'warning' : status, message },
    ...(details.length > 0 && { detail: details.join('\n') }),
    ...(hint && { fix: hint }),
  }))
  const path = resolveHome(context.io.env)
  if (print.json) print.value({ path, checks, overall_ok: isOk, cli_version: version })
  else
    for (const { name, status, message, fix: hint } of checks)
      print.line(sanitizeLine(`${status.padEnd(7)} ${name}: ${message}${hint && status !== 'ok' ? `; ${hint}` : ''}`))
  if (!isOk) throw new Exit(1)
}

/** Settings of `bd`. None has an effect here, so none is kept. */
function configCommands(program: Command, bd: BdContext): void {
  const config = program.command('config', { hidden: true }).description('settings of bd, which have no effect in gc')
  const define = (verb: string, run: (key: string) => [object, string]) =>
    config
      .command(verb)
      .argument('[words...]')
      .allowUnknownOption()
      .action(
        bd.run(async (words: string[]) => {
          const [json, sentence] = run(words[0] ?? '')
          if (bd.print.json) return bd.print.value(json)
          bd.print.line(sentence)
        }),
      )
  const ignored = 'has no effect in gc and is not kept: any type and any label may be used'
  define('get', (key) => [{ key, value: '' }, `${key} (not set)`])
  define('set', (key) => [{ key, set: false, message: `${key} ${ignored}` }, `${key} ${ignored}`])
  define('set-many', () => [{ set: false, message: `this ${ignored}` }, `this ${ignored}`])
  define('unset', (key) => [{ key, value: '' }, `${key} (not set)`])
  for (const verb of ['list', 'show', 'validate', 'apply', 'drift'])
    define(verb, () => [{}, 'No settings: gc needs none of bd’s, so there is nothing to do.'])
}
