import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { history, up } from '../slow/town.ts'
import { tempFolder } from '../support/folder.ts'
import { FrameConnection, type HostFrame, type RecordedFrame, recordedFrames } from '../support/host-frames.ts'
import { HostReplay, recordTypes, shapeErrors, startHost } from '../support/host-replay.ts'
import { OldHost, type ReleaseHost } from '../support/old-host.ts'
import {
  ADDED_SINCE,
  changes,
  FIXTURE_HOME,
  fixtureFile,
  fixtureJson,
  LEASES,
  lastEventOf,
  type ReleaseAnswers,
  type ReleaseKeys,
  unexpected,
  unpackHome,
  withoutDropped,
} from '../support/release-fixture.ts'
import { eventually } from '../support/until.ts'
import { TestCity, World } from '../support/world.ts'

const RELEASE = '0.1.0'
const answers = fixtureJson<ReleaseAnswers>(RELEASE, 'answers.json.gz')
const keys = fixtureJson<ReleaseKeys>(RELEASE, 'keys.json')
const host = fixtureJson<ReleaseHost>(RELEASE, 'host.json')
const RECORDINGS = ['host-frames.jsonl', 'host-frames-rest.jsonl']

const recording = (name: string): RecordedFrame[] => recordedFrames(readFileSync(fixtureFile(RELEASE, name), 'utf8'))

const framesOfHost = (frames: readonly RecordedFrame[]): HostFrame[] =>
  frames
    .filter(({ from }) => from === 'host')
    .map(({ header, payload = '' }) => ({ header, payload: Buffer.from(payload, 'base64') }))

const jsonLines = (values: readonly object[]): Buffer =>
  Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'))

describe(`a supervisor of gc ${RELEASE}`, () => {
  for (const name of RECORDINGS) {
    test(`is understood by a current host and gets answers of the same shape: ${name}`, async () => {
      await using folder = tempFolder()
      unpackHome(RELEASE, folder)
      rmSync(folder.at('home', 'host'), { recursive: true })
      const current = await startHost(folder)
      try {
        const connection = await FrameConnection.open(current.socket)
        const paths = { [`${FIXTURE_HOME}/.gc`]: folder.at('home'), [FIXTURE_HOME]: folder.at('user') }
        const replay = new HostReplay(connection, paths)
        const frames = recording(name)
        await replay.play(frames)
        expect(replay.errors).toEqual([])
        expect(recordTypes(connection.frames)).toEqual(recordTypes(framesOfHost(frames)))
        expect(await current.exited).toBe(0)
      } finally {
        current.kill()
      }
    }, 30_000)
  }
})

test(`a current host delivers the exits and records that a killed host of gc ${RELEASE} left`, async () => {
  await using folder = tempFolder()
  unpackHome(RELEASE, folder)
  const current = await startHost(folder)
  try {
    const connection = await FrameConnection.open(current.socket)
    connection.send({ hello: { protocol: host.hello.hello.protocol, build: 'newer', pid: 1 } })
    const exit = await connection.waitFor('the exit', ({ header }) => header.push === 'exit')
    expect(exit.header.exit).toEqual(host.exits[0])
    connection.send({ op: 'records', id: 1 })
    const pushed = await connection.waitFor('the records', ({ header }) => header.push === 'records')
    const [{ key, run } = { key: '', run: '' }] = host.records
    expect(pushed.header).toEqual({ push: 'records', key, run })
    const records = jsonLines(host.records.flatMap((one) => one.records))
    expect(Buffer.from(pushed.payload).toString()).toBe(records.toString())
  } finally {
    current.kill()
  }
}, 30_000)

/** A supervisor on the home of a release while the host of that release still runs all sessions. */
async function openWithOldHost(): Promise<{ world: World; mill: TestCity; old: OldHost } & AsyncDisposable> {
  const hosts: OldHost[] = []
  const world = await World.filled((folder) => {
    unpackHome(RELEASE, folder)
    hosts.push(new OldHost(folder, host))
  })
  const [old] = hosts
  if (!old) throw new Error('the old host was not started')
  const mill = new TestCity(world, 'mill', world.folder.at('user', 'mill'))
  await up(mill)
  return { world, mill, old, [Symbol.asyncDispose]: () => close(world, old) }
}

/** The old host is this process, so the supervisor must not be asked to end its hosts. */
async function close(world: World, old: OldHost): Promise<void> {
  const { items } = (await world.call('GET /v0/host')).body
  await world.kill()
  for (const { pid } of items) {
    if (pid === process.pid) continue
    process.kill(pid, 'SIGTERM')
    await eventually(
      'the current host has ended',
      10_000,
      async () => isRunning(pid),
      (running) => !running,
    )
  }
  old[Symbol.dispose]()
  await world[Symbol.asyncDispose]()
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe(`sessions in a running host of gc ${RELEASE}`, () => {
  let town: Awaited<ReturnType<typeof openWithOldHost>>
  beforeAll(async () => {
    town = await openWithOldHost()
  }, 30_000)
  afterAll(() => town?.[Symbol.asyncDispose]())

  const keyOf = (id: string) => host.list.sessions.find(({ key }) => key.startsWith(`mill/${id}/`))?.key
  const newEvents = async () => {
    const last = lastEventOf(answers.mill)
    return (await history(town.mill)).filter(
      ({ seq, type }) => seq > last && !/^(bead\.updated$|attention\.)/.test(type),
    )
  }

  test('are adopted: nothing is lost and nothing happens twice', async () => {
    const { world, old } = town
    await old.waitFor('the request to take no new sessions', ({ op }) => op === 'retire')
    await Bun.sleep(500)
    expect((await newEvents()).map(({ type }) => type)).toEqual(['controller.started'])
    const expected = [
      LEASES,
      /^\/events\?limit=1000\.body\.(total|items\.#\d+)$/,
      ...ADDED_SINCE,
      // The log of this session's program is in another folder now.
      /^\/session\/ml-28\/transcript.*\.(transcript_stream_id|resume_token)$/,
    ]
    expect(unexpected(await changes(world, answers.mill, '/v0/city/mill', keys.url), expected)).toEqual([])
    expect<unknown>((await world.call('GET /v0/host')).body.items).toEqual([
      { build: host.hello.hello.build, pid: process.pid, sessions: host.list.sessions.length },
    ])
  })

  test('keep the rows of their messages, tokens, usage and records', async () => {
    await using folder = tempFolder()
    unpackHome(RELEASE, folder)
    const before = rowsOf(folder.at('user', 'mill/.gc/city.db'), folder.at('user'))
    const after = rowsOf(join(town.mill.path, '.gc/city.db'), town.world.folder.at('user'))
    for (const [table, rows] of Object.entries(before))
      expect({ table, rows: after[table] }).toMatchObject({ table, rows })
  })

  test('can be watched and typed into', async () => {
    const { world, mill, old } = town
    const key = keyOf('ml-17')
    expect((await mill.call('GET ~/session/carl?peek=true')).body.last_output).toContain('heard')
    const { ticket } = (await mill.call('POST ~/session/carl/terminal-ticket', { body: { write: true } })).body
    const base = world.url.replace('http', 'ws')
    const socket = new WebSocket(`${base}/v0/city/mill/session/carl/terminal?ticket=${ticket}`)
    socket.binaryType = 'arraybuffer'
    const received = Promise.withResolvers<void>()
    socket.onmessage = ({ data }) => {
      if (typeof data !== 'string' && new TextDecoder().decode(data).includes('new output')) received.resolve()
    }
    socket.onopen = () => socket.send(new TextEncoder().encode('typed by hand\r'))
    await old.waitFor('typed text', (request) => request.op === 'write' && request.key === key)
    expect(old.requests.find(({ header }) => header.op === 'write')?.payload.toString()).toBe('typed by hand\r')
    const { stream, from } = await old.waitFor(
      'a follower',
      (request) => request.op === 'follow' && request.key === key,
    )
    old.push({ push: 'output', stream, offset: from }, Buffer.from('new output'))
    await received.promise
    socket.close()
  })

  test('can be answered, and their records are stored once', async () => {
    const { mill, old } = town
    const [{ key, run } = { key: '', run: '' }] = host.records
    const records = host.records.flatMap((pushed) => pushed.records)
    await mill.call('POST ~/session/pia/respond', { body: { action: 'approve' } })
    expect(await old.waitFor('the answer', ({ op }) => op === 'answer')).toMatchObject({ key, choice: 'yes' })
    for (let time = 0; time < 2; time++) old.push({ push: 'records', key, run }, jsonLines(records))
    const last = records.at(-1)?.seq
    await old.waitFor('the acknowledgement', (request) => request.op === 'kept' && request.seq === last)
    const { body } = await mill.call('GET ~/session/pia/transcript?format=conversation')
    expect(JSON.stringify(body).match(/made it/g)).toHaveLength(1)
    expect((await newEvents()).filter(({ type }) => type === 'session.answered')).toHaveLength(1)
  })

  test('restart in a current host after they exit', async () => {
    const { world, mill, old } = town
    const [exit] = host.exits
    old.push({ push: 'exit', exit })
    await old.waitFor('the acknowledgement', ({ op, run }) => op === 'acknowledge' && run === exit?.run)
    await mill.event(lastEventOf(answers.mill), ({ type }) => type === 'session.woke')
    const crashed = (await newEvents()).filter(({ type }) => type === 'session.crashed')
    expect(crashed.map(({ session_id }) => session_id)).toEqual(['ml-18'])
    expect((await world.call('GET /v0/host')).body.items).toMatchObject([{ sessions: 1 }, { pid: process.pid }])
  })

  test('cause no request that the old host does not know', () => {
    const recordedRequests = RECORDINGS.flatMap(recording).filter(
      ({ from, header }) => from === 'supervisor' && 'op' in header,
    )
    // Every host is asked for what it reports of its sessions; one of an earlier build answers that it does not know that.
    const reports: unknown[] = ['questions', 'askedHosts']
    const unknown = town.old.requests.filter(
      ({ header }) =>
        !reports.includes(header.op) &&
        !recordedRequests.some((one) => one.header.op === header.op && shapeErrors(one.header, header).length === 0),
    )
    expect(unknown.map(({ header }) => header)).toEqual([])
  })
})

/** Rows of sessions that no upkeep removes, with paths relative to `home`. */
function rowsOf(path: string, home: string): Record<string, unknown> {
  const db = new Database(path, { readonly: true, strict: true })
  const rows = (table: string, condition = 'true'): unknown => {
    const stored = db.query<object, []>(`SELECT * FROM ${table} WHERE ${condition}`).all()
    return JSON.parse(JSON.stringify(withoutDropped(table, stored)).replaceAll(home, ''))
  }
  try {
    const permanent = ['usage_facts', 'usage_sums', 'acp_records', 'acp_questions', 'wait_beads']
    const removed = ['session_messages', 'session_tokens']
    return Object.fromEntries([
      ...permanent.map((table) => [table, rows(table)]),
      ...removed.map((table) => [table, rows(table, 'ended_at IS NULL')]),
    ])
  } finally {
    db.close(true)
  }
}
