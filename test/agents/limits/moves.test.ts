import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { City } from '../../../src/city/city.ts'
import { nextTick } from '../../../src/core/event-loop.ts'
import { human } from '../../../src/http/guard.ts'
import { type ScriptedTown, scriptedTown } from '../../support/city.ts'
import { until } from '../../support/until.ts'

const SECRET = 'sk-very-secret'
const agent = (name: string, more = '') => `[[agent]]
name = "${name}"
provider = "mine"
session = "acp"
max_active_sessions = 1
${more}
`
const TOML = `[providers.mine]
base = "builtin:claude"
command = "cat"
path_check = "cat"
supports_acp = true
[providers.codex]
base = "builtin:codex"
command = "cat"
path_check = "cat"
acp_command = "cat"
${agent('worker', 'option_defaults = { model = "opus" }')}
${agent('other')}
`
const ACCOUNT = (name: string, more = '', provider = 'claude') =>
  `[[account]]\nname = "${name}"\nprovider = "${provider}"\n${more}\n`

/** A city with accounts, in which work waits for an agent. */
async function open(accounts: string, works: readonly string[] = ['worker']) {
  const town = scriptedTown(TOML)
  mkdirSync(town.hosts.home, { recursive: true })
  const file = join(town.hosts.home, 'accounts.toml')
  const write = (text: string, mode = 0o600) => {
    writeFileSync(file, text)
    chmodSync(file, mode)
  }
  write(accounts)
  const city = await town.open({ env: { ...process.env, ANTHROPIC_API_KEY: 'own', HOME: town.folder.path } })
  for (const to of works) await city.beads.create(human, { title: 'oil', metadata: { 'gc.routed_to': to } })
  await city.reconciler.settle()
  return { town, city, write, [Symbol.asyncDispose]: () => town[Symbol.asyncDispose]() }
}

async function limit(
  { host, clock }: ScriptedTown,
  city: City,
  key: string,
  text = "You've hit your limit.",
): Promise<void> {
  await host.failTurn(key, text)
  await until(() => city.sessionRepository.findByHostKey(key) === undefined)
  await city.store.write(() => {})
  await clock.advance(100)
  await city.reconciler.settle()
}

const logins = (city: City) => city.sessionRepository.live().map(({ login, state }) => `${state} on ${login}`)

describe('work whose account has reached its limit', () => {
  /** A city whose one session has reached the limit of its first account, then that of its second. */
  async function openLimited() {
    const world = await open(`${ACCOUNT('one', 'home = "/one"')}${ACCOUNT('two', 'home = "/two"')}`)
    const { town, city } = world
    for (const _ of ['one', 'two']) {
      await limit(town, city, town.host.running[0] ?? '')
      await town.clock.advance(10_000)
    }
    expect(logins(city)).toEqual(['quarantined on two'])
    const endOf = (login: string) => (city.limits.find(login)?.until ?? 0) - town.clock.now()
    return { ...world, endOf }
  }

  test('continues with another account immediately, in a conversation of its own', async () => {
    await using world = await open(`${ACCOUNT('one', 'home = "/one"')}${ACCOUNT('two', 'home = "/two"')}`)
    const { town, city } = world
    const { host } = town
    expect(host.starts.map(({ env }) => env.CLAUDE_CONFIG_DIR)).toEqual(['/one'])
    await city.store.write((tx) =>
      city.sessionRepository.update(tx, city.sessionRepository.live()[0]?.id ?? '', { sessionKey: 'k' }),
    )
    await limit(town, city, host.running[0] ?? '')
    expect(host.starts.map(({ env }) => env.CLAUDE_CONFIG_DIR)).toEqual(['/one', '/two'])
    expect(host.starts.at(-1)?.acp?.resume).toBeUndefined()
    expect(logins(city)).toEqual(['active on two'])
  })

  test('waits while all are limited, and continues with the first that has room', async () => {
    await using world = await openLimited()
    const { town, city, endOf } = world
    expect(endOf('one')).toBeLessThan(endOf('two') - 5_000)
    await town.clock.advance(endOf('one') - 1)
    await city.reconciler.settle()
    expect(logins(city)).toEqual(['quarantined on two'])
    await town.clock.advance(1_000)
    await city.reconciler.settle()
    expect(logins(city)).toEqual(['active on one'])
  })

  test('stays with its own account when that has room as well, by the time it is started', async () => {
    await using world = await openLimited()
    const { town, city, endOf } = world
    town.clock.stop(endOf('two'))
    await city.reconciler.settle()
    expect(logins(city)).toEqual(['active on two'])
  })

  test('is started where the fewest programs run, and leaves what runs elsewhere alone', async () => {
    await using world = await open(`${ACCOUNT('one')}${ACCOUNT('two', 'home = "/two"')}`, ['worker', 'other'])
    const { town, city } = world
    expect(
      city.sessionRepository
        .live()
        .map(({ login }) => login)
        .toSorted(),
    ).toEqual(['one', 'two'])
    const running = city.sessionRepository.live().find(({ login }) => login === 'one')
    const other = city.sessionRepository.live().find(({ login }) => login === 'two')
    await limit(town, city, running?.hostKey ?? '')
    expect(town.host.running).toContain(other?.hostKey ?? '')
    expect(logins(city)).toEqual(['active on two', 'active on two'])
  })

  test('goes to a substitute provider, without the options of its own, and back when that has room', async () => {
    await using world = await open(ACCOUNT('spare', 'stands_in_for = ["claude"]', 'codex'))
    const { town, city } = world
    expect(logins(city)).toEqual(['active on claude'])
    await limit(town, city, town.host.running[0] ?? '')
    expect(logins(city)).toEqual(['active on spare'])
    expect(city.sessionRepository.live()).toMatchObject([{ provider: 'codex' }])
    expect(town.host.starts.at(-1)?.acp?.model).toBe('gpt-5.5')
    await town.clock.advance(61_000)
    await limit(town, city, town.host.running[0] ?? '')
    expect(logins(city)).toEqual(['active on claude'])
    expect(city.sessionRepository.live()).toMatchObject([{ provider: 'mine' }])
  })
})

describe('the secrets of an account', () => {
  test('reach its program and nothing else', async () => {
    await using world = await open('', [])
    const { town, city, write } = world
    const env = town.folder.at('work.env')
    writeFileSync(env, `MY_KEY=${SECRET}\n`, { mode: 0o600 })
    write(ACCOUNT('work', `env_file = "${env}"`))
    await city.beads.create(human, { title: 'oil', metadata: { 'gc.routed_to': 'worker' } })
    await city.reconciler.settle()
    const [start] = town.host.starts
    expect([start?.env.MY_KEY, start?.env.ANTHROPIC_API_KEY]).toEqual([SECRET, undefined])
    expect(start?.argv.join(' ')).not.toContain(SECRET)
    const account = await city.loginAccounts.check(human, 'work', {})
    const seen = JSON.stringify([
      account,
      city.loginAccounts.list(),
      city.sessionRepository.live(),
      city.log.after(0, 1000),
      town.reports,
    ])
    expect(seen).not.toContain(SECRET)
    expect(account).toMatchObject({ name: 'work', env_file: env, state: 'ok', sessions: 1 })
  })
})

describe('a dead login', () => {
  const DEAD = 'Please run /login · API Error: 401 OAuth access token has expired. Re-authenticate to continue.'

  test('is left for another account, and nothing more is started on it', async () => {
    await using world = await open(`${ACCOUNT('one', 'home = "/one"')}${ACCOUNT('two', 'home = "/two"')}`)
    const { town, city } = world
    await limit(town, city, town.host.running[0] ?? '', DEAD)
    expect(logins(city)).toEqual(['active on two'])
    expect(city.limits.all()).toMatchObject([{ login: 'one', state: 'dead', until: null }])
    await limit(town, city, town.host.running[0] ?? '', "You've hit your limit.")
    // Past the limit of a minute. Within an hour, a worker that claims nothing would have its bead parked.
    await town.clock.advance(61_000)
    await city.reconciler.settle()
    expect(logins(city)).toEqual(['active on two'])
    const [first, ...others] = town.host.starts.map(({ env }) => env.CLAUDE_CONFIG_DIR)
    expect([first, new Set(others)]).toEqual(['/one', new Set(['/two'])])
    expect(others.length).toBeGreaterThan(1)
  })

  test('is one thing that waits for a person, whatever runs on it, until it is checked', async () => {
    await using world = await open('', [])
    const { town, city, write } = world
    const env = town.folder.at('work.env')
    writeFileSync(env, 'A=1\n', { mode: 0o600 })
    write(ACCOUNT('work', `env_file = "${env}"`))
    for (const to of ['worker', 'other'])
      await city.beads.create(human, { title: 'oil', metadata: { 'gc.routed_to': to } })
    await city.reconciler.settle()
    for (const key of town.host.running) await limit(town, city, key, DEAD)
    await town.clock.advance(24 * 3_600_000)
    await city.reconciler.settle()
    expect([town.host.running, town.host.starts.length]).toEqual([[], 2])
    const { items } = await city.attention.list()
    expect(items).toMatchObject([{ kind: 'login', id: 'login:work', to_do: 'log in, then gc account check work' }])
    expect(items[0]?.asks).toContain('OAuth access token has expired')
    const types = () => city.log.after(0, 5000).map(({ type }) => type)
    expect(types().filter((type) => type.startsWith('login.'))).toEqual(['login.failed'])
    expect(await city.loginAccounts.check(human, 'work', {})).toMatchObject({ state: 'ok' })
    await town.clock.advance(1000)
    await city.reconciler.settle()
    expect(town.host.running).toHaveLength(2)
    expect((await city.attention.list()).items).toEqual([])
    expect(types().filter((type) => type.startsWith('session.crashed'))).toEqual([])
  })

  test('is distinguished from a start that fails for another reason', async () => {
    await using world = await open('', [])
    const { town, city } = world
    town.host.startError = 'the agent must be logged in first: run claude /login'
    await city.beads.create(human, { title: 'oil', metadata: { 'gc.routed_to': 'worker' } })
    await city.reconciler.settle()
    expect(city.limits.all()).toMatchObject([{ login: 'claude', state: 'dead' }])
    expect(city.sessionServices.failures.all('agent').size).toBe(0)
    await city.store.write((tx) => city.limits.restore(tx, 'claude'))
    town.host.startError = 'there is no room on the disk'
    await town.clock.advance(1000)
    await city.reconciler.settle()
    expect(city.limits.all()).toEqual([])
    expect(city.sessionServices.failures.all('agent').size).toBe(1)
  })
})

describe('accounts that cannot be used', () => {
  test('hold what would run on them, and say so once', async () => {
    await using world = await open(ACCOUNT('work', 'env_file = "/nowhere/work.env"'))
    const { town, city, write } = world
    const asked = async () => (await city.attention.list()).items.map(({ asks }) => asks)
    expect(town.host.running).toEqual([])
    expect(await asked()).toEqual([
      'Account work is not used: there is no file /nowhere/work.env; make it, or change what names it',
    ])
    write(ACCOUNT('work'), 0o644)
    await nextTick()
    await city.reconciler.settle()
    expect(town.host.running).toEqual([])
    expect(await asked()).toEqual([expect.stringContaining('can be read by others (mode 0644)')])
    expect(() => city.loginAccounts.list()).toThrow('chmod 600')
    write(ACCOUNT('work'))
    await nextTick()
    await city.reconciler.settle()
    expect(logins(city)).toEqual(['active on work'])
    expect(await asked()).toEqual([])
  })
})

describe('an account', () => {
  test('is added beside the own login of its program, and removed', async () => {
    await using world = await open('', [])
    const { city } = world
    const names = () => city.loginAccounts.list().items.map(({ name, declared }) => `${name}${declared ? '' : '?'}`)
    expect(names()).toEqual(['claude?'])
    await city.loginAccounts.add({ name: 'work', provider: 'claude', home: '/w' })
    expect(names()).toEqual(['claude', 'work'])
    await city.loginAccounts.remove('claude')
    expect(names()).toEqual(['work'])
    expect(city.loginAccounts.add({ name: 'work', provider: 'claude' })).rejects.toThrow('account work already exists')
    expect(city.loginAccounts.add({ name: 'x', provider: 'clod' })).rejects.toThrow('provider "clod" is not known')
    expect(city.loginAccounts.add({ name: 'x', provider: 'claude', env_file: '/no' })).rejects.toThrow(
      'there is no file /no',
    )
    expect(city.loginAccounts.check(human, 'nobody', {})).rejects.toThrow('there is no account nobody')
    expect(names()).toEqual(['work'])
  })

  test('is used again immediately after a person lifts its limit', async () => {
    await using world = await open(ACCOUNT('work'))
    const { town, city } = world
    await limit(town, city, town.host.running[0] ?? '')
    expect(city.loginAccounts.list().items).toMatchObject([{ state: 'limited', stated: false, sessions: 0 }])
    expect((await city.attention.list()).items).toMatchObject([{ kind: 'limit', id: 'limit:work' }])
    expect(await city.loginAccounts.check(human, 'work', {})).toMatchObject({ state: 'limited' })
    expect(await city.loginAccounts.check(human, 'work', { lift: true })).toMatchObject({ state: 'ok' })
    await city.reconciler.settle()
    expect(logins(city)).toEqual(['active on work'])
    const types = city.log.after(0, 1000).map(({ type }) => type)
    expect(types.filter((type) => type.startsWith('login.'))).toEqual(['login.limited', 'login.restored'])
  })
})
