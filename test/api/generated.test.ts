import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { writeDefaultMode } from '../../src/config/confinement/default-mode.ts'
import { dice } from '../slow/town.ts'
import { operationsOf } from '../support/sample.ts'
import { SEED } from '../support/seed.ts'
import { type TestCity, World } from '../support/world.ts'
import { LEFT_OUT, Maker, type Sent, send } from './generated-requests.ts'
import { PLANTED, PlantedCity, plantAccounts } from './planted-city.ts'
import { bead, register, STORE_TOKEN, startSession } from './town.ts'

type Json = Record<string, unknown>

/** Requests for each operation. */
const EACH = Number(process.env.GC_EACH ?? 25)
/** The number of concurrent requests. */
const AT_ONCE = 8
test('no request, however strange, causes an internal error, hangs, or changes anything when it is rejected', async () => {
  const random = dice(SEED)
  await using world = await World.open()
  const city = await world.city()
  for (const title of ['one', 'two', 'three']) await bead(city, title)
  const document: Json = (await world.call('GET /openapi.json')).body
  const make = new Maker(document, random)
  const operations = operationsOf(document).filter(({ id, kind }) => !LEFT_OUT.has(id) && kind !== 'socket')
  const sent: Sent[] = []
  const errors: string[] = []
  const queue = operations.flatMap((operation) => Array.from({ length: EACH }, () => operation))
  const work = async () => {
    for (let operation = queue.pop(); operation; operation = queue.pop()) {
      const one = await send(world, city, make, operation).catch((error) => String(error))
      if (typeof one === 'string') errors.push(one)
      else sent.push(one)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  // 501 and 503 are deliberate: a program without modes, one that is not installed.
  const broken = sent.filter(({ status }) => status >= 500 && status !== 501 && status !== 503)
  const failures = [...broken.map((one) => `${one.status} ${one.operation.id} ${one.address} ${one.body}`), ...errors]
  if (failures.length > 0)
    process.stderr.write(`seed ${SEED}: GC_SEED=${SEED} repeats it\n${world.log.slice(0, 4000)}\n`)
  expect(failures.slice(0, 10)).toEqual([])
  expect(sent.length).toBe(operations.length * EACH)
  expect(sent.filter(({ status }) => status < 300).length).toBeGreaterThan(operations.length)
  expect((await city.call('GET ~/health')).status).toBe(200)
  process.stdout.write(`seed ${SEED}: ${sent.length} requests to ${operations.length} operations\n`)
}, 120_000)

test('a rejected request records nothing', async () => {
  const random = dice(SEED + 1)
  await using world = await World.open()
  const city = await world.city()
  for (const title of ['one', 'two', 'three']) await bead(city, title)
  const document: Json = (await world.call('GET /openapi.json')).body
  const make = new Maker(document, random)
  const changing = operationsOf(document).filter(({ id, method }) => method !== 'GET' && !LEFT_OUT.has(id))
  // Operations that start or end programs continue after the response: their events are not those of the next request.
  await city.call('PATCH ~', { body: { suspended: true } })
  const quiet = changing.filter(({ path }) => !/\/(session|sessions|claims|maintenance)(\/|$)/.test(path))
  let rejected = 0
  for (const operation of quiet) {
    for (let n = 0; n < 12; n++) {
      const before = await city.head()
      const { status, address, body } = await send(world, city, make, operation)
      if (status < 400) {
        await Bun.sleep(1)
        continue
      }
      rejected++
      const recorded = (await city.head()) === before ? 0 : (await city.recorded(before)).length
      const result = { seed: SEED + 1, status, address, body, recorded }
      expect(result).toEqual({ ...result, recorded: 0 })
    }
  }
  expect(rejected).toBeGreaterThan(200)
}, 60_000)

/** Time every operation is called as every caller; ten minutes with `GC_SECONDS=600`. */
const SECONDS = Number(process.env.GC_SECONDS ?? 4)

test(
  'every operation answers every kind of caller without an internal error or a secret',
  async () => {
    const random = dice(SEED + 2)
    await using world = await World.filled((folder) => {
      for (const name of ['user', 'home']) mkdirSync(folder.at(name))
      writeDefaultMode(folder.at('home'), 'off')
      writeFileSync(folder.at('home', 'social.toml'), UNLIMITED)
    })
    plantAccounts(world.home)
    const city = await PlantedCity.open(world, 'planted')
    const other = await register(world, 'other', SPY)
    const callers = new Callers(world, city, other)
    await callers.renew()
    const { make, operations } = await everyOperation(world, random)
    const end = performance.now() + SECONDS * 1000
    const failures: string[] = []
    const count = new Map<string, number>()
    const work = async () => {
      while (performance.now() < end && failures.length < 10) {
        const caller = make.one(callers.names)
        const { operation, maker } = make.one(operations)
        const one = await send(world, city.city, maker, operation, callers.tokenOf(caller)).catch((error) =>
          String(error),
        )
        const wrong = typeof one === 'string' ? one : wrongIn(one, caller)
        if (wrong) failures.push(`as ${caller}: ${wrong}`)
        const status =
          typeof one === 'string' ? 'failed' : one.status === 401 ? '401' : `${Math.floor(one.status / 100)}xx`
        count.set(`${caller} ${status}`, (count.get(`${caller} ${status}`) ?? 0) + 1)
      }
    }
    const health = new HealthPoll(world, end)
    await Promise.all([health.run(), callers.keep(end), ...Array.from({ length: AT_ONCE }, work)])
    process.stdout.write(
      `seed ${SEED}: ${SECONDS} s of ${operations.length} operations; ${health.summary}\n  ${[...count]
        .sort()
        .map(([what, times]) => `${what} ${times}`)
        .join(', ')}\n`,
    )
    if (failures.length > 0) process.stderr.write(`GC_SEED=${SEED} repeats it\n${world.log.slice(0, 4000)}\n`)
    expect(failures).toEqual([])
    expect(health.failed).toBe(0)
    for (const caller of callers.names) expect([caller, (count.get(`${caller} 2xx`) ?? 0) > 0]).toEqual([caller, true])
  },
  SECONDS * 1000 + 120_000,
)

/** The operations of both planes, each with what makes its requests. */
async function everyOperation(world: World, random: () => number) {
  const documents: Json[] = []
  for (const path of ['/openapi.json', '/api/v1/openapi.json']) documents.push((await world.call(`GET ${path}`)).body)
  const operations = documents.flatMap((document) => {
    const maker = new Maker(document, random)
    return operationsOf(document)
      .filter(({ id, kind }) => !LEFT_OUT.has(id) && kind !== 'socket')
      .map((operation) => ({ operation, maker }))
  })
  return { make: new Maker({}, random), operations }
}

const ACTIONS = ['general', 'post', 'comment', 'vote', 'follow', 'submolt', 'message', 'request', 'report', 'verify']

/** Limits of the network that no request meets: a rejection by a limit would reach no operation. */
const UNLIMITED = [
  '[limits]',
  ...[...ACTIONS, 'picture', 'register'].map((action) => `${action} = "100000/1m"`),
  ...['newcomer', 'standing', 'repeats'].map((name) => `${name} = false`),
].join('\n')

const SPY = `[[agent]]\nname = "spy"\nstart_command = '${STORE_TOKEN}; exec sleep 600'\nmax_active_sessions = 4\n`

/** Problem with a response: an internal error, or a secret for one who may not read it. */
function wrongIn({ status, operation, address, body, text }: Sent, caller: string): string | undefined {
  const what = `${operation.id} ${address} ${body?.slice(0, 2000)}`
  // 501 and 503 are deliberate: a program without modes, one that is not installed.
  if (status >= 500 && status !== 501 && status !== 503) return `${status} ${what}`
  const secret = caller === 'operator' || caller === 'anonymous' ? undefined : PLANTED.find((one) => text.includes(one))
  return secret && `shows ${secret}: ${what}`
}

/** The kinds of callers with a token of each; sessions that were ended are started again. */
class Callers {
  readonly names = ['anonymous', 'operator', 'session', 'process', 'session of another city', 'network agent'] as const
  readonly #tokens = new Map<string, string>()

  constructor(
    private readonly world: World,
    private readonly city: PlantedCity,
    private readonly other: TestCity,
  ) {}

  tokenOf(name: string): string | undefined {
    return this.#tokens.get(name)
  }

  async renew(): Promise<void> {
    const { world, city, other } = this
    const tokens = [city.programs.order, city.programs.check, city.programs.service]
    this.#tokens.set('operator', world.operatorToken)
    await this.#set('process', async () => await this.#firstGood(tokens))
    await this.#set('session', async () => {
      if (await this.#isGood(city.plain.token)) return city.plain.token
      for (const path of ['', '/agent/plain']) await city.city.call(`PATCH ~${path}`, { body: { suspended: false } })
      return (await startSession(city.city, 'plain')).token
    })
    await this.#set('session of another city', async () => (await startSession(other, 'spy')).token)
    await this.#set('network agent', async () => {
      const name = `agent_${crypto.randomUUID().slice(0, 8)}`
      const { body } = await world.call('POST /api/v1/agents/register', { body: { name, description: 'draws' } })
      return body.agent?.api_key ?? body.api_key
    })
  }

  /** Looks every few seconds whether the tokens are good, which strange requests end. */
  async keep(end: number): Promise<void> {
    while (performance.now() < end) {
      await Bun.sleep(Math.min(3000, Math.max(0, end - performance.now())))
      if (performance.now() < end) await this.renew().catch(() => {})
    }
  }

  async #set(name: string, make: () => Promise<string | undefined>): Promise<void> {
    const held = this.#tokens.get(name)
    if (held && (await this.#isGood(held))) return
    const made = await make()
    if (made) this.#tokens.set(name, made)
  }

  async #firstGood(tokens: readonly (string | undefined)[]): Promise<string | undefined> {
    for (const token of tokens) if (token && (await this.#isGood(token))) return token
    return undefined
  }

  async #isGood(token: string): Promise<boolean> {
    const path = token.startsWith('moltbook_') ? '/api/v1/agents/me' : '/v0/cities'
    return (await this.world.call(`GET ${path}`, { token })).status === 200
  }
}

/** Asks `/health` all the time. */
class HealthPoll {
  readonly #times: number[] = []
  failed = 0

  constructor(
    private readonly world: World,
    private readonly end: number,
  ) {}

  async run(): Promise<void> {
    while (performance.now() < this.end) {
      const start = performance.now()
      const response = await fetch(`${this.world.url}/health`).catch(() => undefined)
      this.#times.push(performance.now() - start)
      if (!response?.ok) this.failed++
      await Bun.sleep(20)
    }
  }

  get summary(): string {
    const sorted = this.#times.toSorted((a, b) => a - b)
    const at = (part: number) => sorted[Math.floor(sorted.length * part)]?.toFixed(1)
    return `/health ${sorted.length} times, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${sorted.at(-1)?.toFixed(1)} ms`
  }
}
