import { describe, expect, test } from 'bun:test'
import { Deadlines } from '../../src/core/deadlines.ts'
import { AppError } from '../../src/core/errors.ts'
import { hashToken } from '../../src/core/text/credentials.ts'
import { actorOf, personOf } from '../../src/http/actor-of.ts'
import type { Caller, PersonCaller } from '../../src/http/caller.ts'
import { Callers } from '../../src/supervisor/callers.ts'
import type { ClosedCity } from '../../src/supervisor/city-entry.ts'
import type { RegisteredToken } from '../../src/supervisor/token-registry.ts'
import { TestClock } from '../support/clock.ts'

const TOKEN = `gcs_${'a'.repeat(64)}`
const SESSION = {
  kind: 'session',
  city: 'mill',
  session: 'mi-1',
  names: [],
  agent: 'a',
  declaredIn: 'city.toml',
  may: [],
} as const
const ANN: PersonCaller = { kind: 'person', id: 1, person: 'ann', grants: [] }
const LOADING = { name: 'mill', error: undefined }

/** Cities whose state is set by hand. */
class Town {
  readonly clock = new TestClock()
  closed: ClosedCity[] = []
  registered: RegisteredToken[] = []
  answers: (typeof SESSION | 'ended' | undefined)[] = []
  isStopping = false
  #changed = Promise.withResolvers<void>()
  readonly callers: Callers

  constructor() {
    const town = this
    this.callers = new Callers({
      ...{ operatorToken: 'gco_x', account: 'olive' },
      people: { callerOf: (hash) => (hash === hashToken('gcp_a') ? ANN : undefined) },
      deadlines: new Deadlines(this.clock, this.clock),
      processTokens: { caller: () => undefined },
      tokens: { find: (hash) => (hash === hashToken(TOKEN) ? this.registered : []) },
      cities: {
        listRunning: () => this.answers.map((answer) => ({ tokens: { caller: () => answer } })),
        listClosed: () => this.closed,
        get isLoading() {
          return town.closed.some(({ error }) => error === undefined)
        },
        get isStopping() {
          return town.isStopping
        },
        whenChanged: () => this.#changed.promise,
      },
    })
  }

  change(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  settle(): Promise<void> | undefined {
    return this.callers.settle(() => TOKEN)
  }

  resolve(token = TOKEN): unknown {
    try {
      return this.callers.resolve(token)
    } catch (error) {
      if (error instanceof AppError) return { status: error.status, ...error.headers }
      throw error
    }
  }
}

const AGAIN = { status: 503, 'retry-after': '1' }

describe('the caller of a token', () => {
  test('is who the running city says, although a copy of the city says that it has ended', () => {
    const town = new Town()
    town.answers = ['ended', SESSION]
    expect(town.resolve()).toBe(SESSION)
    town.answers = ['ended', undefined]
    expect(town.resolve()).toBeUndefined()
  })

  test('is waited for while its city is being loaded, whatever a running copy of the city says', async () => {
    const town = new Town()
    town.answers = ['ended']
    town.closed = [LOADING, { name: 'bakery', error: 'it is broken' }]
    town.registered = [
      { city: 'copy', isLive: false },
      { city: 'mill', isLive: true },
    ]
    expect(town.resolve()).toEqual(AGAIN)
    const settled = town.settle()
    town.answers = ['ended', SESSION]
    town.closed = []
    town.change()
    await settled
    expect(town.resolve()).toBe(SESSION)
    expect(town.settle()).toBeUndefined()
  })

  test('is waited for five seconds', async () => {
    const town = new Town()
    town.closed = [LOADING]
    town.registered = [{ city: 'mill', isLive: true }]
    let isSettled = false
    const settled = town.settle()?.then(() => {
      isSettled = true
    })
    town.change()
    await town.clock.advance(4_999)
    expect(isSettled).toBe(false)
    await town.clock.advance(1)
    await settled
    expect(town.resolve()).toEqual(AGAIN)
  })

  test('is waited for by a thousand requests at most', () => {
    const town = new Town()
    town.closed = [LOADING]
    const waits = Array.from({ length: 1_001 }, () => town.settle())
    expect(waits.filter((wait) => wait === undefined)).toHaveLength(1)
  })

  test('is no one when the registry knows that the token ended', () => {
    const town = new Town()
    town.closed = [LOADING, { name: 'bakery', error: 'it is broken' }]
    town.registered = [{ city: 'mill', isLive: false }]
    expect(town.settle()).toBeUndefined()
    expect(town.resolve()).toBeUndefined()
  })

  test('cannot be told of an unknown token while a city that may have issued it is not open', () => {
    const town = new Town()
    town.closed = [{ name: 'bakery', error: 'it is broken' }]
    expect(town.settle()).toBeUndefined()
    expect(town.resolve()).toEqual({ status: 503, 'retry-after': '5', 'x-gc-city-failed': 'bakery' })
    town.closed = []
    expect(town.resolve()).toBeUndefined()
  })

  test('cannot be told while the supervisor stops, except of the operator', () => {
    const town = new Town()
    town.answers = ['ended']
    town.isStopping = true
    expect(town.settle()).toBeUndefined()
    expect(town.resolve()).toEqual(AGAIN)
    expect(town.resolve('gco_x')).toEqual({ kind: 'operator', person: 'olive' })
    expect([town.resolve('gcp_a'), town.resolve('gcp_b')]).toEqual([ANN, undefined])
  })

  test('is no one for a token that is not a session’s, whatever is being loaded', () => {
    const town = new Town()
    town.closed = [LOADING]
    expect(town.callers.settle(() => 'hello')).toBeUndefined()
    expect(town.resolve('hello')).toBeUndefined()
  })
})

test('a person is recorded by name, the operator by that of the account, and a program by its own', () => {
  const callers: Caller[] = [ANN, { kind: 'operator', person: 'olive' }, { kind: 'operator' }, { kind: 'human' }]
  expect(callers.map(personOf)).toEqual(['ann', 'olive', 'operator', 'human'])
  expect(callers.map((caller) => actorOf(caller).name)).toEqual(['@ann', 'operator', 'operator', 'human'])
  expect(personOf({ ...SESSION, names: ['anvil'] })).toBe('anvil')
})
