import { afterAll, beforeAll } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OperationCoverage } from '../support/coverage.ts'
import { TestCity, World } from '../support/world.ts'

/** The first command of a test agent: stores its token where the test can read it. */
export const STORE_TOKEN = 'umask 077; printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"'

/** One city of a world shared with other tests; it is unregistered at the end of its scope. */
export interface Town extends AsyncDisposable {
  world: World
  city: TestCity
}

/** One supervisor for all tests of a file, whose responses are recorded; each test opens a separate city in it. */
export function towns(coverage?: OperationCoverage): (toml?: string) => Promise<Town> {
  let world: World | undefined
  let count = 0
  beforeAll(async () => {
    world = await World.open()
    world.coverage = coverage
  })
  afterAll(() => world?.[Symbol.asyncDispose]())
  return async (toml) => {
    if (!world) throw new Error('a town is opened in a test')
    forgetTokens(world.home)
    const name = `town${++count}`
    const city = toml === undefined ? await world.city(name) : await register(world, name, toml)
    const leave = () => city.call('POST ~/unregister').then(() => {})
    return { world, city, [Symbol.asyncDispose]: leave }
  }
}

/** Cities reuse ids: files that sessions of an earlier city left must not be taken for those of this one. */
function forgetTokens(home: string): void {
  for (const name of readdirSync(home)) if (name.startsWith('token.')) rmSync(join(home, name))
}

/** A city with a handwritten configuration file. */
export async function register(world: World, name: string, toml: string): Promise<TestCity> {
  const path = world.folder.at(name)
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'city.toml'), `[workspace]\nname = "${name}"\n${toml}`)
  const accepted = await world.call('POST /v0/city/register', { body: { path } })
  if (accepted.status !== 202) throw new Error(JSON.stringify(accepted.body))
  await world.outcome('/v0/events', accepted.body)
  return new TestCity(world, name, path)
}

/** Declares an agent that is a shell script; by default, it waits for the signal to exit. */
export async function declare(city: TestCity, name: string, { script = 'exec sleep 600', ...more } = {}, extra = {}) {
  const start_command = `${STORE_TOKEN}; ${script}`
  const { status, body } = await city.call('POST ~/agents/declare', {
    body: { name, start_command, ...more, ...extra },
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
}

/** A running session and its credential. */
export interface SessionHandle {
  id: string
  token: string
}

/** Starts a session of a declared agent. */
export async function startSession(
  city: TestCity,
  agent: string,
  more: Record<string, unknown> = {},
): Promise<SessionHandle> {
  const accepted = await city.call('POST ~/sessions', { body: { kind: 'agent', name: agent, ...more } })
  if (accepted.status !== 202) throw new Error(JSON.stringify(accepted.body))
  const outcome = await city.outcome(accepted.body)
  if (outcome.type === 'request.failed') throw new Error(JSON.stringify(outcome.payload))
  const id = String(outcome.subject)
  return { id, token: await tokenOf(city.world, id) }
}

/** The token that a running session received; it gets a new one at each restart. */
export async function tokenOf(world: World, id: string, not?: string): Promise<string> {
  const file = join(world.home, `token.${id}`)
  for (let tries = 0; tries < 1500; tries++) {
    const token = existsSync(file) ? readFileSync(file, 'utf8') : ''
    if (token.length === 68 && token !== not) return token
    await Bun.sleep(10)
  }
  throw new Error(`session ${id} never wrote its token; ${world.log}`)
}

/** Creates a bead with this title and optional further fields. */
export async function bead(city: TestCity, title: string, more: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await city.call('POST ~/beads', { body: { title, ...more } })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.id
}

/** Returns the error of a request that must fail and record nothing; tries again while others record events. */
export async function errorOf(
  city: TestCity,
  operation: string,
  options: Parameters<TestCity['call']>[1] = {},
): Promise<string> {
  for (let tries = 1; ; tries++) {
    const before = await city.head()
    const { status, body } = await city.call(operation, options)
    const recorded = (await city.head()) - before
    if (status < 400) throw new Error(`${operation} did not fail: ${status} ${JSON.stringify(body)}`)
    if (recorded === 0) return `${status} ${body.code}: ${body.detail}`
    if (tries === 10) throw new Error(`${operation} was answered ${status} and recorded ${recorded} events`)
  }
}

/** True if an operation changes the providers that a city declares. */
export const changesProviders = (id: string): boolean =>
  id === 'create-provider' || /^(patch|delete)-.*-provider-/.test(id)
