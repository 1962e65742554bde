import { expect } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { conversation, message } from '../connect/extmsg/world.ts'
import { leastQuery, type Operation } from '../support/sample.ts'
import { addressOf, testService, waitForState } from '../support/services.ts'
import { eventually } from '../support/until.ts'
import { TestCity, type World } from '../support/world.ts'
import { type SessionHandle, STORE_TOKEN, startSession } from './town.ts'

type Json = Record<string, unknown>

/** A key that is planted in one place: random enough to be known again, and in no known format. */
export const planted = (place: string): string => `plant-${place}-8c1f0d7e52ab9`

const PERMISSIONS = [
  'configure',
  'sessions',
  'mail',
  'respond',
  'budgets',
  'tokens',
  'maintain',
  'coordinate',
  'connect',
]

/** The places where the files of a city can hold a key; where the operator reads it, by the operation. */
const PLACES = [
  'workspace-env',
  'agent-env',
  'agent-args',
  'agent-option',
  'agent-command',
  'agent-setup',
  'folder-env',
  'provider-env',
  'provider-args',
  'provider-acp',
  'provider-command',
  'provider-option',
  'provider-choice',
  'patch-agent',
  'patch-provider',
  'patch-args',
  'order-env',
  'order-exec',
  'order-check',
  'order-override',
  'service-args',
  'mcp-env',
  'mcp-header',
  'mcp-address',
  'pack-agent',
  'fragment-env',
  'rig-var',
  'land-check',
  'webhook-arg',
  'account-env',
] as const
type Place = (typeof PLACES)[number]

/** The value of a variable that is not a key; no view of a declaration shows it to a program. */
export const ORDINARY = 'plain-words-only'

export const PLANTED: readonly string[] = [...PLACES.map(planted), ORDINARY]
const key = (place: Place): string => planted(place)

const COMMIT = 'git -c user.name=a -c user.email=a@b commit -q -m'

const cityToml = (name: string, rig: string) => `include = ["conf.d/more.toml"]
[workspace]
name = "${name}"
prefix = "${name}"
includes = ["packs/tools"]
env = { WORKSPACE_KEY = "${key('workspace-env')}" }
[session]
setup_timeout = "10m"
[orders]
[[orders.overrides]]
name = "prints"
env = { OVERRIDE_TOKEN = "${key('order-override')}" }
[[rigs]]
name = "shop"
path = "${rig}"
prefix = "sh"
formula_vars = { api_key = "${key('rig-var')}" }
land = { mode = "local", check = ["true", "--token", "${key('land-check')}"] }
[providers.mine]
command = "sh -c 'true --api-key ${key('provider-command')}'"
args = ["-c", "exec sleep 600", "--api-key", "${key('provider-args')}", "--token", "zq"]
acp_command = "acp"
acp_args = ["--token=${key('provider-acp')}"]
option_defaults = { api_key = "${key('provider-option')}" }
[providers.mine.env]
PROVIDER_TOKEN = "${key('provider-env')}"
MODE = "${ORDINARY}"
[[providers.mine.options_schema]]
key = "api_key"
default = "a"
[[providers.mine.options_schema.choices]]
value = "a"
label = "A"
flag_args = ["--api-key", "${key('provider-choice')}"]
[[patches.providers]] # put over the API
name = "mine"
args = ["-c", "exec sleep 600", "--api-key", "${key('patch-args')}"]
env = { PATCHED_KEY = "${key('patch-provider')}" }
[[patches.agent]] # put over the API
name = "chief"
env = { PATCHED_TOKEN = "${key('patch-agent')}" }
[[patches.agent]] # put over the API
name = "worker"
dir = "shop"
env = { PATCHED_TOKEN = "${key('patch-agent')}" }
[[patches.rigs]] # put over the API
name = "shop"
prefix = "sh"
[mcp_servers.local]
command = "mcp"
env = { MCP_KEY = "${key('mcp-env')}" }
[mcp_servers.far]
type = "http"
url = "https://mcp.example/sse?api_key=${key('mcp-address')}"
headers = { Authorization = "Bearer ${key('mcp-header')}" }
[[webhook]]
name = "hook"
[webhook.verify]
scheme = "github-hmac-sha256"
secret_env = "HOOK_SECRET"
[[webhook.rule]]
order = "prints"
args = { token = "${key('webhook-arg')}" }
${testService('stays').replace(/(command = \[.*)\]/, `$1, "--token", "${key('service-args')}"]`)}
[[agent]]
name = "idle"
start_command = "true"
max_active_sessions = 0
[[agent]]
name = "plain"
start_command = '${STORE_TOKEN}; echo "$AGENT_KEY"; exec sleep 600 #'
max_active_sessions = 4
args = ["--auth-token", "${key('agent-args')}"]
env = { AGENT_KEY = "${key('agent-env')}" }
option_defaults = { api_key = "${key('agent-option')}" }
scale_check = "curl -H 'Authorization: Bearer ${key('agent-command')}' localhost"
session_setup = ['true --password ${key('agent-setup')}']
[[agent]]
name = "chief"
start_command = '${STORE_TOKEN}; exec sleep 600'
max_active_sessions = 1
may = ${JSON.stringify(PERMISSIONS)}
[[agent]]
name = "worker"
dir = "shop"
worktree = true
start_command = '${STORE_TOKEN}; echo new > new; git add new; ${COMMIT} new; echo done; exec sleep 600'
max_active_sessions = 2
[[agent]]
name = "mined"
provider = "mine"
max_active_sessions = 0
`

const STAYS_HERE = (name: string) => `umask 077; printf %s "$GC_TOKEN" > "$GC_CITY_PATH/${name}.token"; exec sleep 600`

const FORMULA = `formula = "checked"
[requires]
formula_compiler = ">=2.0.0"
[[steps]]
id = "work"
title = "Work"
[steps.check]
max_attempts = 1
[steps.check.check]
path = "check.sh"
timeout = "10m"
`

/** The files of the city, by their paths from its folder. */
const FILES: Readonly<Record<string, string>> = {
  'conf.d/more.toml': `[[agent]]\nname = "more"\nstart_command = "true"\nmax_active_sessions = 0\nenv = { MORE_KEY = "${key('fragment-env')}" }\n`,
  'packs/tools/pack.toml': `[pack]\nname = "tools"\nversion = "1.0.0"\nschema = 1\n[[agent]]\nname = "tool"\nstart_command = "true"\nmax_active_sessions = 0\nenv = { TOOL_KEY = "${key('pack-agent')}" }\n`,
  'agents/filed/agent.toml': `start_command = "true"\nmax_active_sessions = 0\nenv = { FILED_KEY = "${key('folder-env')}" }\n`,
  'orders/stays.toml': `[order]\ntrigger = "manual"\ntimeout = "10m"\nexec = '${STAYS_HERE('order')}'\n`,
  'orders/prints.toml': `[order]\ntrigger = "manual"\nexec = 'echo "$ORDER_KEY $OVERRIDE_TOKEN"; true --token ${key('order-exec')}'\ncapture_output = true\nenv = { ORDER_KEY = "${key('order-env')}" }\n`,
  'orders/looks.toml': `[order]\ntrigger = "condition"\nenabled = false\ncheck = "true --token=${key('order-check')}"\nexec = 'true'\n`,
  'formulas/checked.toml': FORMULA,
  'check.sh': `#!/bin/sh\n${STAYS_HERE('check')}`,
}

/** A city with a key in every place that can hold one, and one of everything that its operations show. */
export class PlantedCity {
  private constructor(
    readonly city: TestCity,
    /** Values of path parameters, by their last fixed word and name. */
    private readonly things: Readonly<Record<string, string>>,
    readonly chief: SessionHandle,
    readonly plain: SessionHandle,
    /** The tokens of programs that it runs, by what they are. */
    readonly programs: Readonly<Record<string, string>>,
  ) {}

  static async open(world: World, name: string): Promise<PlantedCity> {
    const city = await registerPlanted(world, name)
    const [plain, chief, worker] = await Promise.all(
      ['plain', 'chief', 'shop/worker'].map((agent) => startSession(city, agent)),
    )
    if (!plain || !chief || !worker) throw new Error('a session did not start')
    await waitForState(city, 'stays', 'ready')
    const { programs, order, run } = await startPrograms(city)
    const things = await makeThings(city, chief, 'http://127.0.0.1:9/hook')
    while ((await city.call(`GET ~/worktree/${worker.id}/snapshots`)).body.total === 0) await Bun.sleep(20)
    const ofRuns = { graph: run, runs: run, workflow: run, history: order, worktree: worker.id }
    return new PlantedCity(city, { ...things, ...ofRuns, ...(await makeChanges(city)) }, chief, plain, programs)
  }

  /** The address of a GET that shows something; throws for an operation that it does not know how to fill. */
  addressOf(document: Json, operation: Operation): string {
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = name === 'cityName' ? this.city.name : this.#thing(operation, name)
      if (value === undefined) throw new Error(`${operation.id}: nothing fills {${name}}; add it to PlantedCity`)
      return encodeURIComponent(value)
    })
    return path + (this.#queryOf(operation) ?? leastQuery(document, operation))
  }

  #queryOf({ path }: Operation): string | undefined {
    if (/extmsg\/(groups|transcript)$/.test(path)) return `?${new URLSearchParams(conversation('e1'))}`
    if (path.endsWith('/extmsg/bindings')) return `?session_id=${this.things.session}`
    if (path.endsWith('/orders/history')) return '?scoped_name=prints'
    if (/\/(formulas?|orders)(\/|$)/.test(path) && !/(source|check|orders)$/.test(path)) {
      return `?target=idle&scope_kind=city&scope_ref=${this.city.name}`
    }
    if (path.endsWith('/search')) return '?q=plant'
    if (path.endsWith('/v0/events/stream')) return '?after_cursor=0'
    if (path.endsWith('/events/stream')) return '?after_seq=0'
    return undefined
  }

  #thing({ path }: Operation, name: string): string | undefined {
    if (name === 'dir') return 'shop'
    if (path.includes('/{dir}/')) return 'worker'
    const word = path.split(`/{${name}}`)[0]?.split('/').at(-1) ?? ''
    return this.things[`${word}/${name}`] ?? this.things[word]
  }
}

/** Declarations of the files, by the word before a parameter, and its name if ambiguous. */
const DECLARED = {
  agent: 'chief',
  'agents/agentId': 'none',
  rig: 'shop',
  provider: 'mine',
  order: 'prints',
  service: 'stays',
  formula: 'checked',
  formulas: 'checked',
}

async function registerPlanted(world: World, name: string): Promise<TestCity> {
  const path = world.folder.at(name)
  const rig = world.rigFolder(`${name}-shop`, { git: true })
  writeFileSync(join(rig, 'README'), 'shop')
  for (const words of [
    ['add', '-A'],
    ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'first'],
    ['checkout', '-q', '-b', 'side'],
    ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'second'],
    ['checkout', '-q', '-'],
  ])
    Bun.spawnSync(['git', '-C', rig, ...words])
  for (const [file, text] of Object.entries({ ...FILES, 'city.toml': cityToml(name, rig) })) {
    mkdirSync(join(path, file, '..'), { recursive: true })
    writeFileSync(join(path, file), text, { mode: file.endsWith('.sh') ? 0o755 : 0o644 })
  }
  const accepted = await world.call('POST /v0/city/register', { body: { path } })
  if (accepted.status !== 202) throw new Error(JSON.stringify(accepted.body))
  const outcome = await world.outcome('/v0/events', accepted.body)
  if (outcome.type === 'request.failed') throw new Error(JSON.stringify(outcome.payload))
  return new TestCity(world, name, path)
}

/** Creates commits of a session, and a branch that waits to land. */
async function makeChanges(city: TestCity) {
  const { items } = await eventually(
    'a change',
    20_000,
    async () => (await city.call('GET ~/changes')).body,
    ({ items }) => items.length > 0,
  )
  await succeed(city, 'POST ~/rig/shop/land/pause', {})
  const { id } = await succeed(city, 'POST ~/rig/shop/land', { branch: 'side' })
  return { change: String(items[0].id), landing: String(id) }
}

/** Writes the accounts of a world, whose variables hold a key. */
export function plantAccounts(home: string): void {
  const file = join(home, 'account.env')
  writeFileSync(file, `ANTHROPIC_API_KEY=${key('account-env')}\n`, { mode: 0o600 })
  const account = `[[account]]\nname = "spare"\nprovider = "claude"\nenv_file = "${file}"\n`
  writeFileSync(join(home, 'accounts.toml'), account, { mode: 0o600 })
}

/** Runs one program of each kind; their tokens, and the bead of an order's run that printed its keys. */
async function startPrograms(city: TestCity) {
  await succeed(city, 'POST ~/order/stays/run', {})
  await succeed(city, 'POST ~/order/prints/run', {})
  const run = await beginCheck(city)
  const environment: unknown = await (await fetch(addressOf(city, 'stays', '/environment'))).json()
  const ofFile = (name: string) =>
    eventually(
      `the token of ${name}`,
      20_000,
      async () => textOf(join(city.path, `${name}.token`)),
      (token) => token.length === 68,
    )
  const ended = await eventually(
    'the order has printed',
    20_000,
    () => city.call('GET ~/orders/history?scoped_name=prints'),
    ({ body }) => body.entries?.[0]?.has_output === true,
  )
  const programs = { order: await ofFile('order'), check: await ofFile('check'), service: Object(environment).GC_TOKEN }
  return { programs, order: String(ended.body.entries[0].bead_id), run }
}

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')

/** Calls an operation that must succeed; returns its body. */
async function succeed(city: TestCity, operation: string, body?: object, token?: string) {
  const answer = await city.call(operation, { ...(body && { body }), ...(token && { token }) })
  if (answer.status >= 300) throw new Error(`${operation}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Begins a run and does its one step, after which gc checks it; the id of the run. */
async function beginCheck(city: TestCity): Promise<string> {
  const slung = await succeed(city, 'POST ~/sling', { target: 'idle', formula: 'checked' })
  const { items } = (await city.call(`GET ~/beads/graph/${slung.root_bead_id}/beads`)).body
  const step = items.find(({ ref }: { ref?: string }) => ref === 'checked.work.iteration.1').id
  await city.call(`PATCH ~/bead/${step}`, { body: { metadata: { 'gc.outcome': 'pass' } } })
  expect((await city.call(`POST ~/bead/${step}/close`)).status).toBe(200)
  return slung.root_bead_id
}

/** One of everything that has an id. */
async function makeThings(city: TestCity, session: SessionHandle, adapter: string): Promise<Record<string, string>> {
  const bead = await succeed(city, 'POST ~/beads', { title: `says ${key('agent-env')}` })
  await succeed(city, `POST ~/bead/${bead.id}/claim`, undefined, session.token)
  const mail = await succeed(city, 'POST ~/mail', { to: 'human', subject: 'hello' })
  const convoy = await succeed(city, 'POST ~/convoys', { title: 'all', items: [bead.id] })
  const wait = await succeed(city, 'POST ~/waits', { session: session.id, on_beads: [bead.id], note: 'go on' })
  const request = await succeed(city, 'POST ~/sessions', { kind: 'agent', name: 'plain' })
  await city.outcome(request)
  const account = { provider: 'chat', account_id: 'acct' }
  await succeed(city, 'POST ~/extmsg/adapters', { ...account, callback_url: adapter })
  await succeed(city, 'POST ~/extmsg/bind', { conversation: conversation('e1'), session_id: session.id })
  await succeed(city, 'POST ~/extmsg/groups', { root_conversation: conversation('e1'), default_handle: 'idle' })
  await succeed(city, 'POST ~/extmsg/inbound', { message: message('m1', 'e1') })
  const rule = await succeed(city, 'POST ~/rules', { kind: 'command', value: 'make it', agent: 'chief' })
  return {
    ...DECLARED,
    ...{ bead: bead.id, claims: bead.id, convoy: convoy.id, wait: wait.id, request: request.request_id },
    ...{ mail: mail.id, thread: mail.thread_id ?? mail.id, conversation: 'c1', session: session.id },
    ...{ rule: rule.id, files: session.id, snapshot: '1' },
  }
}
