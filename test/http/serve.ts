import { type TObject, Type } from '@sinclair/typebox'
import { Deadlines } from '../../src/core/deadlines.ts'
import { AppError } from '../../src/core/errors.ts'
import byKey from '../../src/core/replays/by-key.sql' with { type: 'text' }
import perCaller from '../../src/core/replays/per-caller.sql' with { type: 'text' }
import { Replays } from '../../src/core/replays/replays.ts'
import replaysTable from '../../src/core/replays/table.sql' with { type: 'text' }
import { Store } from '../../src/core/store/store.ts'
import { createApp } from '../../src/http/app.ts'
import type { Caller } from '../../src/http/caller.ts'
import type { GuardSettings } from '../../src/http/guard.ts'
import { listen } from '../../src/http/listen.ts'
import { notFoundHandler } from '../../src/http/not-found.ts'
import { createPlane } from '../../src/http/plane.ts'
import type { FailedRequest, PlaneOptions } from '../../src/http/plane-options.ts'
import { type Route, route } from '../../src/http/route.ts'
import { TestClock } from '../support/clock.ts'
import { conforms, declares } from '../support/conforms.ts'
import { tempFolder } from '../support/folder.ts'

export const OPEN: GuardSettings = {
  hosts: [],
  origins: [],
  readOnly: false,
  requireToken: false,
  resolve: () => undefined,
}

export const SESSION: Caller = {
  kind: 'session',
  city: 'c',
  session: 'c-1',
  names: ['c-1'],
  agent: 'a',
  declaredIn: 'city.toml',
  may: [],
}

export interface ReportedError extends FailedRequest {
  error: unknown
}

type Options = Partial<Omit<PlaneOptions, 'guard'>> & { guard?: Partial<GuardSettings>; routes: Route[] }

/** Serves these routes on a free port with a manual clock; `await using` stops it. */
export function serve({ guard, ...options }: Options) {
  const clock = new TestClock()
  const deadlines = new Deadlines(clock, clock)
  const errors: ReportedError[] = []
  const folder = tempFolder()
  const store = Store.open(folder.at('replays.db'), [replaysTable, perCaller, byKey])
  const replays = new Replays(store, clock)
  const report = (error: unknown, occasion: FailedRequest) => errors.push({ error, ...occasion })
  const supervisor = createPlane({
    info: { title: 'Test', version: '1', description: 'A plane under test.' },
    guard: { ...OPEN, ...guard },
    clock,
    deadlines,
    report,
    replays: () => replays,
    ...options,
  })
  const app = createApp({ supervisor, network: notFoundHandler })
  const socketErrors: unknown[] = []
  const listening = listen(app, {
    host: '127.0.0.1',
    port: 0,
    deadlines,
    report: (error) => socketErrors.push(error),
  })
  const { url } = listening
  /** Checks every JSON response of a declared operation against the document. */
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(url + path, init)
    const isJson = response.headers.get('content-type')?.endsWith('json') ?? false
    const method = init.method ?? 'GET'
    if (isJson && declares(supervisor.document(), method, path)) {
      conforms(supervisor.document(), method, path, response.status, await response.clone().json())
    }
    return response
  }
  return {
    ...listening,
    clock,
    deadlines,
    errors,
    socketErrors,
    plane: supervisor,
    store,
    ask,
    get: (path: string, headers: Record<string, string> = {}) => ask(path, { headers }),
    /** Sends a mutation with the headers that a correct client sets. */
    send: (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      ask(path, {
        method,
        headers: {
          'x-gc-request': '1',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    async [Symbol.asyncDispose]() {
      const stopped = listening.stop()
      // What waits is answered in the next ticks, long before the grace is over.
      await Bun.sleep(5)
      await clock.advance(5_000)
      await stopped
      await store.close()
      folder[Symbol.dispose]()
    },
  }
}

export const Thing = Type.Object({ id: Type.String() }, { $id: 'Thing', additionalProperties: false })

/** A route that returns what its handler received. */
export const echo = (path: `GET ${string}`, query?: TObject): Route =>
  route(path, { id: `echo ${path}`, summary: 'Show what came', query, ok: Type.Any() }, (x) => ({
    params: x.params,
    query: x.query,
    caller: x.caller.kind,
    id: x.id,
  }))

export const missing = route(
  'GET ~/missing',
  { id: 'get-missing', summary: 'Find nothing', ok: Thing, errors: ['bead-not-found'] },
  () => {
    throw new AppError('bead-not-found', 'bead mp-7 does not exist', { headers: { 'retry-after': '3' } })
  },
)
