import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { history, up } from '../slow/town.ts'
import {
  ADDED_SINCE,
  asRecorded,
  changes,
  differences,
  eventsOf,
  fixtureJson,
  LEASES,
  lastEventOf,
  type ReleaseAnswers,
  type ReleaseEvent,
  type ReleaseKeys,
  type ReleaseNames,
  unexpected,
  unpackHome,
  withoutDropped,
} from '../support/release-fixture.ts'
import { eventually } from '../support/until.ts'
import { TestCity, World } from '../support/world.ts'

const RELEASE = '0.1.0'
const answers = fixtureJson<ReleaseAnswers>(RELEASE, 'answers.json.gz')
const keys = fixtureJson<ReleaseKeys>(RELEASE, 'keys.json')
const names = fixtureJson<ReleaseNames>(RELEASE, 'names.json')

/** The sessions that were running when everything was killed. */
const [KEEPER, CARL, CORA, SAM, WORKER, PIA] = ['ml-1', 'ml-17', 'ml-18', 'ml-28', 'ml-33', 'ml-68']
const RUNNING = [KEEPER, CARL, CORA, SAM, WORKER, PIA]
/** The bead that the worker had claimed. */
const WORK = 'ml-31'

/** Events that are not compared: changes of rows, and attention. */
const LEFT_OUT = /^(bead\.updated$|attention\.)/

/** Events after `seq`, sorted, each as its type, its session or subject, and the operation in its payload. */
async function eventsAfter(city: TestCity, seq: number): Promise<string[]> {
  const events = (await history(city)).filter((event) => event.seq > seq && !LEFT_OUT.test(event.type))
  return events
    .map(({ type, subject, session_id, payload }) =>
      [type, session_id ?? subject, Object(payload).operation].filter((word) => word !== undefined).join(' '),
    )
    .sort()
}

/** Reads a database that no process has open. */
function readDatabase<T>(path: string, read: (db: Database) => T): T {
  const db = new Database(path, { readonly: true, strict: true })
  try {
    return read(db)
  } finally {
    db.close(true)
  }
}

/** All values that a query returns. */
const valuesOf = (db: Database, query: string): string[] =>
  db
    .query<Record<string, string>, []>(query)
    .all()
    .flatMap((row) => Object.values(row))

/** All rows by table, without those of search indexes. */
function rowsOf(db: Database): Map<string, unknown[]> {
  const tables = valuesOf(db, "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
  const own = tables.filter((name) => !name.startsWith('sqlite_'))
  return new Map(own.map((name) => [name, withoutDropped(name, db.query<object, []>(`SELECT * FROM "${name}"`).all())]))
}

/** Tables that any start changes: how far events were read, their size, and tokens that ended over a month ago. */
const CHANGING = new Set(['cursors', 'event_segments', 'session_tokens'])
const TABLES = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')"
const CONSUMERS = 'SELECT consumer FROM cursors'

const LAST_ACTIVE = /\.(last_active|last_activity|last_nudge_delivered_at)$/

describe(`a home that gc ${RELEASE} left when everything was killed`, () => {
  let world: World
  let mill: TestCity

  beforeAll(async () => {
    world = await World.filled((folder) => unpackHome(RELEASE, folder))
    mill = new TestCity(world, 'mill', world.folder.at('user', 'mill'))
    await up(mill)
  }, 30_000)
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('restarts each lost session once, offers its work once, and does nothing else', async () => {
    const expected = [
      'controller.started',
      `session.answered ${PIA}`,
      `bead.dead_assignee_reopened ${WORKER}`,
      ...RUNNING.flatMap((id) => [`session.crashed ${id}`, `session.woke ${id}`, `worker.operation ${id} start`]),
      // A new program is sent its first prompt and its unread mail.
      ...[CARL, CORA].flatMap((id) => [`worker.operation ${id} nudge`, `worker.operation ${id} message`]),
    ].sort()
    const events = () => eventsAfter(mill, lastEventOf(answers.mill))
    await eventually('every session is up', 20_000, events, (recorded) => recorded.length >= expected.length)
    await eventually(
      'the work is claimed again',
      20_000,
      async () => (await mill.call(`GET ~/bead/${WORK}`)).body.status,
      (status) => status === 'in_progress',
    )
    await Bun.sleep(300)
    expect(await events()).toEqual(expected)
  }, 50_000)

  test('answers every request about the city as before', async () => {
    const changed = await changes(world, answers.mill, '/v0/city/mill', keys.url)
    const running = `(${RUNNING.join('|')})`
    const restarted = 'updated_at|metadata\\.(generation|last_woke_at|slept_at|last_nudge_delivered_at)'
    const expected = [
      ...ADDED_SINCE,
      LAST_ACTIVE,
      LEASES,
      // The worker has claimed its work again.
      /^\/claims\.body\.items\.\d+\.(epoch|taken_at)$/,
      new RegExp(`${WORK}\\.(body\\.|bead\\.)?updated_at$`),
      new RegExp(`${running}\\.(body\\.)?(${restarted})$`),
      new RegExp(`/session/${running}/transcript\\?format=structured\\.body\\.history\\.generation\\.id$`),
      new RegExp(`^/(events\\?limit=1000|bead/(${running}|${WORK})/history)\\.body\\.(total|items\\.#\\d+)$`),
      // The log of this session's program is in another folder now.
      new RegExp(`/session/${SAM}/transcript.*\\.(transcript_stream_id|resume_token)$`),
      // The question of this session was answered after the answers were recorded.
      new RegExp(`^/session/${PIA}/transcript`),
      new RegExp(`${PIA}\\.(body\\.)?activity$`),
      /^\/(pending|attention)\.body\.(total|items\.\d)$/,
      /^\/usage\.body\.observed_from$/,
    ]
    expect(unexpected(changed, expected)).toEqual([])
    const old = new Set(eventsOf(answers.mill).map(({ seq }) => `#${seq}`))
    expect(changed.filter(({ path }) => old.has(path.slice(path.lastIndexOf('#'))))).toEqual([])
  })

  test('has the records that an agent wrote while no supervisor ran', async () => {
    const { body } = await mill.call(`GET ~/session/${PIA}/transcript?format=conversation`)
    expect(JSON.stringify(body).match(/made it/g)).toHaveLength(1)
    expect((await mill.call('GET ~/pending')).body.items).toEqual([])
  })

  test('continues convoys, waits and bead numbers where they were', async () => {
    const head = await mill.head()
    await mill.call('POST ~/bead/ml-4/close')
    await mill.event(head, ({ type }) => type === 'convoy.closed')
    expect(await eventsAfter(mill, head)).toEqual(['bead.closed ml-35', 'bead.closed ml-4', 'convoy.closed ml-35'])
    const { waits } = (await mill.call('GET ~/waits')).body
    expect(waits.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
      ['ml-53', 'ready'],
      ['ml-52', 'pending'],
    ])
    expect((await mill.call('POST ~/beads', { body: { title: 'the next' } })).body.id).toBe('ml-69')
  })

  test('accepts the token of a session that was lent', async () => {
    const { token, bead } = keys.lent
    const renewed = await mill.call(`POST ~/bead/${bead}/heartbeat`, { token })
    expect(renewed.body).toMatchObject({ bead_id: bead, epoch: 1 })
    expect((await mill.call(`POST ~/bead/${bead}/close`, { token })).status).toBe(200)
  })

  test('keeps its event archives and starts the next one after the last', async () => {
    const folder = join(mill.path, '.gc')
    const files = readdirSync(folder).filter((name) => name.includes('archive'))
    const archived = files.sort().flatMap((name): ReleaseEvent[] => {
      const text = new TextDecoder().decode(Bun.gunzipSync(readFileSync(join(folder, name))))
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    })
    const recorded = new Map(eventsOf(answers.mill).map((event) => [event.seq, event]))
    expect(archived.map(({ seq }) => seq)).toEqual(archived.map((_, index) => index + 1))
    expect(archived.filter((event) => differences(recorded.get(event.seq), event).length > 0)).toEqual([])
    const { archive } = (await mill.call('POST ~/events/rotate?wait=true', { body: {} })).body
    expect(archive).toMatchObject({ first_seq: archived.length + 1, compression_status: 'complete' })
  })

  test('answers every request about the network as before, with all keys and counters', async () => {
    const { first, second, deleted } = keys.network
    const changed = await changes(world, answers.network, '/api/v1', keys.url, first)
    expect(unexpected(changed, [LAST_ACTIVE, ...ADDED_SINCE])).toEqual([])
    const profile = async (token: string) => (await world.call('GET /api/v1/agents/me', { token })).status
    expect(await Promise.all([first, second, deleted].map(profile))).toEqual([200, 200, 401])
    const recount = await world.call('GET /api/v1/operator/recount', { token: world.operatorToken })
    expect(recount.body.miscounts).toEqual([])
    const registration = { body: { name: 'dee', description: 'has the name of a deleted agent' } }
    expect((await world.call('POST /api/v1/agents/register', registration)).status).toBe(409)
  })

  test('counts a repeated vote once and rejects the vote of a suspended agent', async () => {
    const { first: token, suspended } = keys.network
    const [post] = (await world.call('GET /api/v1/posts?sort=top&t=all', { token })).body.posts
    const vote = (value: number, by: string) =>
      world.call(`PUT /api/v1/posts/${post.id}/vote`, { body: { value }, token: by })
    expect((await vote(1, token)).status).toBe(200)
    expect((await vote(-1, suspended)).status).toBe(403)
    expect((await world.call(`GET /api/v1/posts/${post.id}`, { token })).body.post.score).toBe(post.score)
  })

  test('keeps the registry; a city with a broken file comes up once it is fixed', async () => {
    const ofSupervisor = ({ city }: ReleaseEvent) => city === '__supervisor__'
    const recorded = answers.events.filter(ofSupervisor)
    const current: ReleaseEvent[] = (await world.call('GET /v0/events?limit=1000')).body.items.filter(ofSupervisor)
    const [old, added] = [current.slice(0, recorded.length), current.slice(recorded.length)]
    expect(differences(recorded, asRecorded(old, { world, url: keys.url }))).toEqual([])
    expect(added.map(({ type }) => type)).toEqual(['supervisor.started'])
    const attic = new TestCity(world, 'attic', world.folder.at('user', 'attic'))
    expect((await world.call('GET /v0/cities')).body.items).toMatchObject([
      { name: 'attic', path: attic.path, running: false, status: 'init_failed' },
      { name: 'mill', path: mill.path, running: true },
    ])
    writeFileSync(join(attic.path, 'city.toml'), '[workspace]\nname = "attic"\n')
    const accepted = await world.call('POST /v0/city/register', { body: { path: attic.path } })
    await world.outcome('/v0/events', accepted.body)
    expect((await attic.call('GET ~/beads')).body.items).toMatchObject([{ title: 'Kept in the attic' }])
  })

  test('still has every event type and every metadata key', async () => {
    const document = await (await fetch(`${world.url}/openapi.json`)).text()
    expect(names.events.filter((type) => !document.includes(`"const":"${type}"`))).toEqual([])
    const { items } = (await mill.call('GET ~/beads?all=true&limit=1000')).body
    const used = new Set(items.flatMap(({ metadata = {} }: { metadata?: object }) => Object.keys(metadata)))
    expect(names.metadata.filter((key) => !used.has(key))).toEqual([])
  })

  test('has sound databases after a stop', async () => {
    await world.stop()
    for (const path of [
      join(world.home, 'social.db'),
      join(world.home, 'supervisor.db'),
      join(mill.path, '.gc/city.db'),
    ]) {
      expect(readDatabase(path, (db) => valuesOf(db, 'PRAGMA integrity_check'))).toEqual(['ok'])
    }
  })
})

describe(`a city that gc ${RELEASE} closed, moved to another folder`, () => {
  let world: World
  let shed: TestCity
  let before: Map<string, unknown[]>

  const register = async () => {
    const accepted = await world.call('POST /v0/city/register', { body: { path: shed.path } })
    await world.outcome('/v0/events', accepted.body)
    await up(shed)
  }

  beforeAll(async () => {
    world = await World.filled((folder) => {
      unpackHome(RELEASE, folder)
      mkdirSync(folder.at('elsewhere'))
      renameSync(folder.at('user', 'shed'), folder.at('elsewhere', 'shed'))
    })
    shed = new TestCity(world, 'shed', world.folder.at('elsewhere', 'shed'))
    before = readDatabase(join(shed.path, '.gc/city.db'), rowsOf)
    await register()
  }, 30_000)
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('answers every request as before', async () => {
    const expected = [
      ...ADDED_SINCE,
      /^(\/status)?\.body\.path$/,
      /^\/events\?limit=1000\.body\.(total|items\.#2[4567])$/,
    ]
    expect(unexpected(await changes(world, answers.shed, '/v0/city/shed', keys.url), expected)).toEqual([])
    expect(await eventsAfter(shed, lastEventOf(answers.shed))).toEqual(['controller.started', 'controller.stopped'])
  })

  test('has the same rows after it was opened and closed', async () => {
    await world.outcome('/v0/events', (await shed.call('POST ~/unregister')).body)
    const path = join(shed.path, '.gc/city.db')
    const after = readDatabase(path, rowsOf)
    for (const [table, rows] of before) {
      if (CHANGING.has(table)) continue
      const current = after.get(table) ?? []
      expect({ table, rows: table === 'events' ? current.slice(0, rows.length) : current }).toMatchObject({
        table,
        rows,
      })
    }
    const types = readDatabase(path, (db) => valuesOf(db, 'SELECT type FROM events ORDER BY seq'))
    const added = types.slice(before.get('events')?.length).filter((type) => !LEFT_OUT.test(type))
    expect(added).toEqual(['controller.started', 'controller.stopped'])
    expect(readDatabase(path, (db) => valuesOf(db, 'PRAGMA integrity_check'))).toEqual(['ok'])
  })

  test('continues where it was', async () => {
    await register()
    const [plank] = (await shed.call('GET ~/beads/search?q=plank')).body.items
    const head = await shed.head()
    await shed.call(`POST ~/bead/${plank.id}/close`)
    await shed.event(head, ({ type }) => type === 'convoy.closed')
    expect(await eventsAfter(shed, head)).toEqual(['bead.closed sh-2', 'bead.closed sh-4', 'convoy.closed sh-4'])
    expect((await shed.call('GET ~/waits')).body.waits).toMatchObject([{ note: 'go on', state: 'ready' }])
  })
})

test(`every consumer and table of gc ${RELEASE} still has its name`, async () => {
  await using world = await World.open()
  const city = await world.city('fresh')
  await fetch(`${world.url}/api/v1/posts`)
  await world.outcome('/v0/events', (await city.call('POST ~/unregister')).body)
  await world.stop()
  const database = join(city.path, '.gc/city.db')
  const missing = (path: string, query: string, expected: readonly string[]) => {
    const stored = readDatabase(path, (db) => valuesOf(db, query))
    return expected.filter((name) => !stored.includes(name))
  }
  // Under another name a consumer starts at the first event and reacts to the whole history again.
  expect({ missingConsumers: missing(database, CONSUMERS, names.consumers) }).toEqual({ missingConsumers: [] })
  expect({ missingTables: missing(database, TABLES, names.tables.city) }).toEqual({ missingTables: [] })
  const registry = join(world.home, 'supervisor.db')
  expect({ missingTables: missing(registry, TABLES, names.tables.registry) }).toEqual({ missingTables: [] })
  const network = join(world.home, 'social.db')
  // The full-text indexes of whole words are deleted once those of stems have everything.
  const tables = names.tables.network.filter((name) => !name.endsWith('_search'))
  expect({ missingTables: missing(network, TABLES, tables) }).toEqual({ missingTables: [] })
}, 30_000)
