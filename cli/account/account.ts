import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Account, AccountList } from '../../src/agents/accounts/index.ts'
import type { Colour } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { renderLive, type WatchOption, withWatch } from '../context/watch.ts'
import { failure } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'

interface AddOptions {
  provider: string
  home?: string
  envFile?: string
  standsInFor?: string[]
}

export function accountCommands(program: Command, context: CommandContext): void {
  const account = program.command('account').description('manage the logins of agent programs')
  withWatch(withJson(account.command('list').description('list logins, and which have quota left'))).action(
    (options: JsonOption & WatchOption) => list(context, options, () => true, 'No agent runs a program that logs in.'),
  )
  withJson(account.command('add').description('declare an account in $GC_HOME/accounts.toml'))
    .argument('<name>')
    .requiredOption('--provider <provider>', 'provider of the login, such as claude')
    .option('--home <folder>', 'folder of its login; default is the program’s own')
    .option('--env-file <file>', 'file of variables such as an API key, mode 0600')
    .option('--stands-in-for <provider...>', 'providers it replaces when they reach their limit')
    .action((name: string, options: AddOptions & JsonOption) => add(context, name, options))
  withJson(account.command('remove').description('remove an account; its files stay'))
    .argument('<account>')
    .action(async (name: string, options: JsonOption) => {
      const city = await context.city()
      const removed = await city.call('DELETE ~/accounts/{name}', { params: { name } })
      if (options.json) return printJson(context.io, removed)
      printLine(context.io, `Account ${name} was removed; sessions that use it keep running.`)
    })
  withJson(account.command('check').description('check logins; working ones are used again'))
    .argument('[account]')
    .option('--lift', 'also clear its usage limit')
    .action((name: string | undefined, options: JsonOption & { lift?: true }) => check(context, name, options))
  withWatch(withJson(program.command('limits').description('list limited and dead logins, and until when'))).action(
    (options: JsonOption & WatchOption) =>
      list(context, options, ({ state }) => state !== 'ok', 'Every login has quota left.'),
  )
}

async function list(
  context: CommandContext,
  options: JsonOption & WatchOption,
  isShown: (account: Account) => boolean,
  empty: string,
): Promise<void> {
  const city = await context.city()
  await renderLive(context, city, options, async (io) => {
    const all = await city.call('GET ~/accounts')
    const items = all.items.filter(isShown)
    if (options.json) printJson(io, { ...all, items, total: items.length })
    else print(io, items, empty)
  })
}

const COLOURS: Record<Account['state'], Colour> = { ok: 'green', limited: 'yellow', dead: 'red', broken: 'red' }

function print(io: Io, items: AccountList['items'], empty: string): void {
  printTable(
    io,
    items,
    [
      { header: 'ACCOUNT', value: ({ name, declared }) => (declared ? name : `(${name})`), minWidth: 8 },
      { header: 'PROVIDER', value: ({ provider }) => provider },
      { header: 'STATE', value: ({ state }) => state, colour: ({ state }) => COLOURS[state] },
      { header: 'SESSIONS', value: ({ sessions }) => String(sessions) },
      { header: 'UNTIL', value: formatLimitEnd },
      { header: 'REASON', value: ({ reason = '' }) => reason },
    ],
    empty,
  )
}

/** End of a limit; `about` if that is a guess. */
function formatLimitEnd({ until, stated }: Account): string {
  if (until === undefined) return ''
  return `${stated ? '' : 'about '}${new Date(until).toLocaleString('sv')}`
}

async function add(context: CommandContext, name: string, options: AddOptions & JsonOption): Promise<void> {
  const { provider, home, envFile, standsInFor } = options
  const city = await context.city()
  const before = await city.call('GET ~/accounts')
  const body = {
    name,
    provider,
    ...(home !== undefined && { home: resolve(home) }),
    ...(envFile !== undefined && { env_file: resolve(envFile) }),
    ...(standsInFor && { stands_in_for: standsInFor }),
  }
  const added = await city.call('POST ~/accounts', { body })
  if (options.json) return printJson(context.io, added)
  printLine(context.io, `Account ${added.name} of ${added.provider} is used from now on.`)
  const after = await city.call('GET ~/accounts')
  const own = after.items.some((item) => item.name === provider && item.declared)
  if (name === provider || !own || before.items.some((item) => item.name === provider && item.declared)) return
  printLine(
    context.io,
    `${provider}’s own login stays in use as account ${provider}; \`gc account remove ${provider}\` takes it out.`,
  )
}

async function check(
  context: CommandContext,
  name: string | undefined,
  options: JsonOption & { lift?: true },
): Promise<void> {
  const city = await context.city()
  const names = name === undefined ? (await city.call('GET ~/accounts')).items.map((item) => item.name) : [name]
  const body = { lift: options.lift ?? false }
  const checked: Account[] = []
  for (const one of names)
    checked.push(await city.call('POST ~/accounts/{name}/check', { params: { name: one }, body }))
  if (options.json) printJson(context.io, { items: checked, total: checked.length })
  else print(context.io, checked, 'There is no login to check.')
  const bad = checked.filter(({ state }) => state === 'dead' || state === 'broken')
  if (bad.length > 0) throw failure(`${bad.map((item) => `${item.name}: ${item.reason ?? item.state}`).join('; ')}`)
}
