import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Operation, operationsOf } from '../support/sample.ts'
import { World } from '../support/world.ts'
import { ORDINARY, PLANTED, PlantedCity, plantAccounts, planted } from './planted-city.ts'
import { register, STORE_TOKEN, startSession } from './town.ts'

/** Time an open stream is read. */
const STREAM_MS = 150
/** Bytes that are read of a response. */
const MAX_BYTES = 4_000_000

let world: World
let planty: PlantedCity
let stranger: string
let document: Record<string, unknown>
let gets: Operation[]

beforeAll(async () => {
  world = await World.open()
  plantAccounts(world.home)
  planty = await PlantedCity.open(world, 'planty')
  const other = await register(
    world,
    'other',
    `[[agent]]\nname = "spy"\nstart_command = '${STORE_TOKEN}; exec sleep 600'\n`,
  )
  stranger = (await startSession(other, 'spy')).token
  document = (await world.call('GET /openapi.json')).body
  gets = operationsOf(document).filter(({ method }) => method === 'GET')
}, 60_000)
afterAll(() => world[Symbol.asyncDispose]())

/** Resources that this city lacks: a socket, a target, a subagent, a waiting request. */
const WITHOUT_ANSWER = [
  'get-default-target: 400',
  'get-v0-city-by-city-name-session-by-id-agents-by-agent-id: 404',
  'get-sub-agent-transcript: 404',
  'attach-terminal: 426',
  'get-session-request: 404',
]
/** Places where the operator reads planted secrets. */
const SHOWN = [
  ...['agent-env', 'order-env', 'order-exec', 'order-override', 'patch-agent', 'patch-args', 'patch-provider'],
  ...['land-check', 'provider-acp', 'provider-command', 'provider-env', 'service-args', 'webhook-arg'],
]

interface Read {
  status: number
  /** The headers and what was read of the body. */
  text: string
}

/** Reads an address; a stream for a moment only. */
async function read(address: string, { kind }: Operation, token: string): Promise<Read> {
  const leave = new AbortController()
  const headers = { Authorization: `Bearer ${token}` }
  let text = ''
  try {
    const response = await fetch(world.url + address, { headers, signal: leave.signal })
    text = JSON.stringify([...response.headers])
    if (kind === 'stream') setTimeout(() => leave.abort(), STREAM_MS)
    try {
      for await (const chunk of response.body ?? []) {
        text += new TextDecoder().decode(chunk)
        if (text.length > MAX_BYTES) leave.abort()
      }
    } catch (error) {
      if (!leave.signal.aborted) throw error
    }
    return { status: response.status, text }
  } finally {
    leave.abort()
  }
}

/** Reads every GET as anyone who has a token. */
async function readAll(token: string): Promise<Map<string, Read>> {
  const answers = gets.map(async (operation) => {
    const answer = await read(planty.addressOf(document, operation), operation, token)
    return [operation.id, answer] as const
  })
  return new Map(await Promise.all(answers))
}

const found = (answers: ReadonlyMap<string, Read>): string[] =>
  [...answers].flatMap(([id, { text }]) =>
    PLANTED.filter((secret) => text.includes(secret)).map((one) => `${id}: ${one}`),
  )

describe('every GET', () => {
  test('shows the operator something, and the values that it declares', async () => {
    const answers = await readAll(world.operatorToken)
    const failed = [...answers].filter(([, { status }]) => status >= 300).map(([id, { status }]) => `${id}: ${status}`)
    expect(failed).toEqual(WITHOUT_ANSWER)
    expect([...new Set(found(answers).map((each) => each.split(': ')[1]))].sort()).toEqual(
      [...SHOWN.map(planted), ORDINARY].sort(),
    )
  })

  test('shows no secret to a session, whatever it may, to a program that the city runs, or to a person', async () => {
    const grants = ['answer', 'review', 'land']
    const { body: ann } = await world.call('POST /v0/people', { body: { name: 'ann', grants } })
    const tokens = { plain: planty.plain.token, chief: planty.chief.token, ann: ann.token, ...planty.programs }
    for (const [name, token] of Object.entries(tokens)) {
      const answers = await readAll(token)
      expect({ name, found: found(answers) }).toEqual({ name, found: [] })
      expect([...answers].filter(([, { status }]) => status === 401)).toEqual([])
      expect([...answers.values()].filter(({ status }) => status === 200).length).toBeGreaterThan(100)
    }
  }, 20_000)
})

/** The resources that hold secrets and can be written: what is read, and how it is sent back. */
const WRITTEN = [
  [
    'GET ~/provider/mine',
    'PATCH ~/provider/mine',
    ['display_name', 'command', 'args', 'acp_command', 'acp_args', 'env'],
  ],
  ['GET ~/patches/provider/mine', 'PUT ~/patches/providers', ['name', 'args', 'env']],
  ['GET ~/patches/agent/chief', 'PUT ~/patches/agents', ['name', 'env']],
  ['GET ~/patches/agent/shop/worker', 'PUT ~/patches/agents', ['name', 'dir', 'env']],
  ['GET ~/patches/rig/shop', 'PUT ~/patches/rigs', ['name', 'prefix']],
] as const

const cityToml = (): string => readFileSync(join(planty.city.path, 'city.toml'), 'utf8')

/** The fields of an answer under the names by which they are written. */
const toBody = (shown: Record<string, unknown>, fields: readonly string[]) =>
  Object.fromEntries(
    Object.entries(shown)
      .map(([name, value]) => [name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase(), value] as const)
      .filter(([name, value]) => fields.includes(name) && value !== null && value !== ''),
  )

describe('a secret that is sent back as it was shown', () => {
  test.each(['operator', 'chief'])('leaves what is stored as it is when the %s does it', async (who) => {
    const token = who === 'operator' ? world.operatorToken : planty.chief.token
    const before = cityToml()
    for (const [get, write, fields] of WRITTEN) {
      const { body } = await planty.city.call(get, { token })
      const answer = await planty.city.call(write, { token, body: toBody(body, fields) })
      expect({ get, status: answer.status, body: answer.body }).toMatchObject({ get, status: 200 })
      expect(cityToml()).toBe(before)
    }
  })

  test('stays beside a field that is changed', async () => {
    const { city, chief } = planty
    const { token } = chief
    const { body } = await city.call('GET ~/provider/mine', { token })
    expect(body.env).toEqual({ PROVIDER_TOKEN: '***', MODE: '***', PATCHED_KEY: '***' })
    expect(body.acp_args).toEqual(['--token=***'])
    const change = { ready_delay_ms: 7, env: { ...body.env, MORE: 'more' }, acp_args: ['-v', ...body.acp_args] }
    expect((await city.call('PATCH ~/provider/mine', { token, body: change })).status).toBe(200)
    const { body: stored } = await city.call('GET ~/provider/mine')
    expect(stored.acp_args).toEqual(['-v', `--token=${planted('provider-acp')}`])
    expect(stored.env).toEqual({
      ...{ PROVIDER_TOKEN: planted('provider-env'), MODE: ORDINARY, MORE: 'more' },
      PATCHED_KEY: planted('patch-provider'),
    })
    expect(cityToml().split(planted('patch-provider'))).toHaveLength(2)
  })

  const REJECTED: [operation: string, body: object, location: string][] = [
    ['PATCH ~/provider/mine', { env: { ABSENT: '***' } }, 'body.env.ABSENT'],
    ['PATCH ~/provider/mine', { acp_args: ['--other=***'] }, 'body.acp_args[0]'],
    ['PATCH ~/provider/mine', { args: ['--print', '***'] }, 'body.args[1]'],
    ['PUT ~/patches/agents', { name: 'chief', env: { ABSENT: '***' } }, 'body.env.ABSENT'],
    ['PUT ~/patches/agents', { name: 'plain', env: { A: '***' } }, 'body.env.A'],
    ['PUT ~/patches/providers', { name: 'mine', args: ['--token=***'] }, 'body.args[0]'],
    ['POST ~/providers', { name: 'new', command: 'x', env: { A: '***' } }, 'body.env.A'],
    ['POST ~/providers', { name: 'new', command: 'x --token=***' }, 'body.command'],
    ['POST ~/agents/declare', { name: 'new', start_command: 'x', env: { A: '***' } }, 'body.env.A'],
    ['POST ~/agents/declare', { name: 'new', start_command: 'x', args: ['--key', '***'] }, 'body.args[1]'],
    ['POST ~/rigs', { name: 'new', git_url: 'https://***@git.example/x' }, 'body.git_url'],
    ['POST ~/packs', { source: 'https://***@git.example/x' }, 'body.source'],
  ]
  test.each(REJECTED)('is rejected where none is stored: %s %j', async (operation, body, location) => {
    const before = cityToml()
    for (const token of [world.operatorToken, planty.chief.token]) {
      const answer = await planty.city.call(operation, { token, body })
      expect(answer).toMatchObject({ status: 422, body: { code: 'validation-failed', errors: [{ location }] } })
    }
    expect(cityToml()).toBe(before)
  })
})

describe('a token of another city', () => {
  const token = () => stranger

  test('reads nothing of a city', async () => {
    const ofCity = gets.filter(({ path }) => path.includes('{cityName}'))
    for (const operation of ofCity) {
      const { status, text } = await read(planty.addressOf(document, operation), operation, stranger)
      expect(`${operation.id}: ${status}`).toBe(`${operation.id}: 403`)
      expect(text).toContain('"code":"forbidden"')
    }
  })

  test('cannot tell whether a city exists', async () => {
    const details = await Promise.all(
      ['planty', 'nowhere'].map(
        async (name) => (await world.call(`GET /v0/city/${name}/status`, { token: token() })).body,
      ),
    )
    expect(details[0]).toEqual(details[1])
  })

  test('sees its own city alone among all', async () => {
    const { body: cities } = await world.call('GET /v0/cities', { token: token() })
    expect(cities).toMatchObject({ total: 1, items: [{ name: 'other' }] })
    expect((await world.call('GET /health', { token: token() })).body).toMatchObject({
      cities_total: 1,
      cities_running: 1,
    })
    const { body: events } = await world.call('GET /v0/events', { token: token() })
    expect(events.event_cursor).toMatch(/^other:\d+$/)
    expect(new Set(events.items.map(({ city }: { city: string }) => city))).toEqual(new Set(['other']))
    expect(events.total).toBe(events.items.length)
  })

  test('follows the events of its own city, wherever it resumes', async () => {
    for (const cursor of ['0', '__supervisor__:0,planty:0,other:0']) {
      const operation = gets.find(({ id }) => id === 'stream-supervisor-events')
      if (!operation) throw new Error('there is no such operation')
      const { text } = await read(`/v0/events/stream?after_cursor=${cursor}`, operation, stranger)
      expect(text).toContain('"city":"other"')
      expect(text).not.toMatch(/planty|__supervisor__/)
    }
  })
})

describe('a command in a session', () => {
  const run = async (words: readonly string[]): Promise<string> => {
    const { token, id } = planty.chief
    const child = Bun.spawn([...world.program, ...words], {
      cwd: planty.city.path,
      env: { PATH: process.env.PATH, GC_HOME: world.home, GC_URL: world.url, GC_TOKEN: token, GC_SESSION_ID: id },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    return (await child.stdout.text()) + (await child.stderr.text())
  }

  test.each([
    'config show --json --provenance',
    'config show',
    'config explain --json',
    'config explain',
    'lint .',
    'confine explain plain --json',
  ])('that reads the files of its city shows no secret: %s', async (words) => {
    const printed = await run(words.split(' '))
    expect(PLANTED.filter((secret) => printed.includes(secret))).toEqual([])
    expect(printed).not.toBe('')
  })
})

describe('a configuration that is wrong', () => {
  test('is reported to everyone without the secrets that it quotes', async () => {
    const good = cityToml()
    const source = `https://x-access-token:${planted('pack-source')}@git.example/packs//gone`
    const env = `[providers.bad]\ncommand = "x"\nprompt_mode = "--token=${planted('pack-source')}"\n`
    writeFileSync(join(planty.city.path, 'city.toml'), `${good}\n[imports.gone]\nsource = "${source}"\n${env}`)
    const { body } = await planty.city.call('GET ~/config/validate')
    expect(body.valid).toBe(false)
    for (const token of [world.operatorToken, planty.chief.token]) {
      const reloaded = await planty.city.call('POST ~/config/reload', { token, body: {} })
      const edited = await planty.city.call('PATCH ~/provider/mine', { token, body: { ready_delay_ms: 8 } })
      expect([reloaded.body.outcome, edited.status]).toEqual(['invalid', 409])
      const quoting = [...(await readAll(token))].filter(([, { text }]) => text.includes(planted('pack-source')))
      const isOperator = token === world.operatorToken
      expect(quoting.map(([id]) => id)).toEqual(isOperator ? ['get-v0-city-by-city-name-packs'] : [])
      expect(JSON.stringify([reloaded.body, edited.body])).not.toContain(planted('pack-source'))
    }
    writeFileSync(join(planty.city.path, 'city.toml'), good)
    expect((await planty.city.call('POST ~/config/reload', { body: {} })).body.outcome).not.toBe('invalid')
  })

  test('leaves no secret in the log of the supervisor', () => {
    expect([...PLANTED, planted('pack-source')].filter((secret) => world.log.includes(secret))).toEqual([])
  })
})
