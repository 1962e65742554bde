import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  type FSWatcher,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip, gzipSync } from 'node:zlib'
import { readTar } from '../../src/core/tar/read-tar.ts'
import { runGc } from '../support/run-gc.ts'
import { eventually } from '../support/until.ts'
import { type TestCity, World } from '../support/world.ts'
import { type CraftedEntry, craftTar, craftTarGz, paxEntry } from './tar.ts'

let world: World
let town: TestCity
/** The entries of a good backup, without their contents in anybody's way. */
let good: CraftedEntry[]

const gc = (...args: string[]) => runGc(world, ...args)

beforeAll(async () => {
  world = await World.open()
  town = await world.city('town', { start_command: 'exec sleep 600' })
  await gc('agent', 'add', 'clerk', '--command', 'exec sleep 601', '--city', 'town')
  appendFileSync(join(town.path, 'city.toml'), '\n[[named_session]]\ntemplate = "clerk"\nmode = "always"\n')
  await town.call('POST ~/beads', { body: { title: 'kept' } })
  const saved = await gc('backup', 'town.tar.gz', '--city', 'town')
  expect(saved.err).toBe('')
  good = []
  const bytes = Readable.from([readFileSync(world.folder.at('town.tar.gz'))]).pipe(createGunzip())
  for await (const entry of readTar(bytes)) {
    const content: Uint8Array[] = []
    for await (const chunk of entry.content()) content.push(chunk)
    good.push({ name: entry.name, type: entry.type, mode: entry.mode, content: Buffer.concat(content) })
  }
}, 30_000)
afterAll(() => world[Symbol.asyncDispose]())

interface Attempt {
  status: number
  err: string
  /** The names that came up beside the goal, even for a moment. */
  touched: string[]
  goal: string
  /** A file outside that crafted entries aim at. */
  victim: string
}

let count = 0
/** Restores a file beside nothing else, and sees what that does to the folder around the goal. */
async function attempt(make: (victim: string) => Uint8Array): Promise<Attempt> {
  const base = world.folder.at(`attempt-${count++}`)
  const around = join(base, 'around')
  mkdirSync(around, { recursive: true })
  const victim = join(base, 'victim')
  writeFileSync(victim, 'untouched')
  const file = join(base, 'crafted.tar.gz')
  writeFileSync(file, make(victim))
  const touched: string[] = []
  const watcher: FSWatcher = watch(around, (_, name) => touched.push(String(name)))
  const goal = join(around, 'goal')
  const { status, err } = await gc('restore', file, goal, '--no-register')
  await new Promise((resolve) => setImmediate(resolve))
  watcher.close()
  expect(readFileSync(victim, 'utf8')).toBe('untouched')
  expect(readdirSync(base).sort()).toEqual(['around', 'crafted.tar.gz', 'victim'])
  return { status, err, touched, goal, victim }
}

const at = (name: string): CraftedEntry => good.find((entry) => entry.name === name) ?? { name }
const without = (name: string): CraftedEntry[] => good.filter((entry) => entry.name !== name)
const withEntries = (...entries: CraftedEntry[]) => craftTarGz([...good, ...entries])

/** The database of the good backup after these statements. */
function changedDatabase(...statements: string[]): Uint8Array {
  const path = world.folder.at(`changed-${count++}.db`)
  writeFileSync(path, Buffer.from(at('.gc/backup.db').content ?? ''))
  const db = new Database(path)
  for (const statement of statements) db.run(statement)
  db.close(true)
  return readFileSync(path)
}

const withDatabase = (content: Uint8Array) =>
  craftTarGz([...without('.gc/backup.db'), { name: '.gc/backup.db', content }])
const manifest = () => JSON.parse(Buffer.from(at('.gc/backup.json').content ?? '').toString())
const withManifest = (change: object) =>
  craftTarGz([
    ...without('.gc/backup.json'),
    { name: '.gc/backup.json', content: JSON.stringify({ ...manifest(), ...change }) },
  ])

/** Actions of the restored city without requests. */
const BY_ITSELF = 'Once restored, it starts these on its own:\n  session clerk (city), all the time: the agent clerk\n'

describe('a crafted backup is rejected before anything is written', () => {
  const cases: [title: string, make: (victim: string) => Uint8Array, reason: string][] = [
    ['a symbolic link', (v) => withEntries({ name: 'agents/x', type: '2', link: v }), 'a symbolic link'],
    ['a dangling link', () => withEntries({ name: 'agents/x', type: '2', link: 'nowhere' }), 'a symbolic link'],
    ['a hard link', (v) => withEntries({ name: 'agents/x', type: '1', link: v }), 'a hard link'],
    [
      'a link in place of .gc',
      () => craftTarGz([{ name: '.gc', type: '2', link: '/tmp' }, ...good]),
      'a symbolic link',
    ],
    [
      'a file under a link of its own',
      (v) =>
        withEntries({ name: 'agents/x', type: '2', link: join(v, '..') }, { name: 'agents/x/victim', content: 'x' }),
      'a symbolic link',
    ],
    ['an absolute name', (v) => withEntries({ name: v, content: 'x' }), 'an absolute path'],
    ['an absolute name behind a dot', (v) => withEntries({ name: `./${v}`, content: 'x' }), 'an absolute path'],
    ['a climbing name', () => withEntries({ name: '../victim', content: 'x' }), 'leads out of the city'],
    ['a climbing name inside', () => withEntries({ name: 'agents/../../../victim' }), 'leads out of the city'],
    ['a climbing folder', () => withEntries({ name: 'agents/..', type: '5' }), 'leads out of the city'],
    ['a drive', () => withEntries({ name: 'c:/x.md' }), 'an absolute path'],
    ['a backslash', () => withEntries({ name: 'agents\\..\\x.md' }), 'not a name of a file'],
    ['a line break', () => withEntries({ name: 'agents/a\nb' }), 'not a name of a file'],
    ['a dot within', () => withEntries({ name: 'agents/./x' }), 'not a name of a file'],
    ['a character device', () => withEntries({ name: 'agents/x', type: '3' }), 'a device'],
    ['a block device', () => withEntries({ name: 'agents/x', type: '4' }), 'a device'],
    ['a pipe', () => withEntries({ name: 'agents/x', type: '6' }), 'a pipe'],
    ['an unknown type', () => withEntries({ name: 'agents/x', type: 'V' }), 'neither a file nor a folder'],
    ['a sparse file', () => withEntries({ name: 'agents/x', type: 'S' }), 'a sparse file'],
    ['a global header', () => craftTarGz([{ ...paxEntry({ path: 'x' }), type: 'g' }, ...good]), 'a header for all'],
    ['a long link name', () => withEntries({ name: 'x', type: 'K', content: '/etc' }), 'is neither a file'],
    [
      'a climbing long name',
      () => withEntries({ name: 'x', type: 'L', content: '../victim\0' }, { name: 'y' }),
      'leads out',
    ],
    ['a climbing extended name', () => withEntries(paxEntry({ path: '../victim' }), { name: 'agents/x' }), 'leads out'],
    ['a name twice', () => withEntries(at('city.toml')), 'in it twice'],
    ['a name twice but for its case', () => withEntries({ ...at('city.toml'), name: 'City.toml' }), 'in it twice'],
    ['a file in a file', () => withEntries({ name: 'agents/x' }, { name: 'agents/x/y' }), 'lies in something'],
    ['a file in place of a folder', () => withEntries({ name: 'agents/x/y' }, { name: 'agents/x' }), 'in it twice'],
    ['a repository', () => withEntries({ name: 'packs/p/.git/hooks/pre-commit' }), 'not a file of a city'],
    ['settings of other programs', () => withEntries({ name: '.envrc' }), 'not a file of a city'],
    ['a lock', () => withEntries({ name: '.gc/lock' }), 'not a file of a city'],
    ['a database in place of the copy', () => withEntries({ name: '.gc/city.db' }), 'not a file of a city'],
    ['a worktree', () => withEntries({ name: '.gc/worktrees/shop/s/.git' }), 'not a file of a city'],
    ['anything else', () => withEntries({ name: 'notes/run.sh' }), 'not a file of a city'],
    ['a size without its bytes', () => withEntries({ name: 'agents/x', size: 8 ** 11 - 1 }), 'would unpack to more'],
    ['a binary size', () => withEntries({ name: 'agents/x', size: new Uint8Array(12).fill(0xff) }), 'number in it'],
    ['an extended size', () => withEntries(paxEntry({ size: '99999999999999' }), { name: 'agents/x' }), 'would unpack'],
    ['a size that is none', () => withEntries({ name: 'agents/x', size: 'zwölf' }), 'number in it is damaged'],
    ['a damaged header', () => withEntries({ name: 'agents/x', isDamaged: true }), 'header in it is damaged'],
    ['a bomb', () => withEntries({ name: 'agents/x', content: new Uint8Array(300_000_000) }), 'would unpack to more'],
    [
      'a bomb after its end',
      () => gzipSync(Buffer.concat([craftTar(good), new Uint8Array(300_000_000)])),
      'continues after its end',
    ],
    ['half of it', () => craftTarGz(good).subarray(0, 2000), 'cannot be unpacked'],
    ['all but its sum', () => craftTarGz(good).subarray(0, -8), 'cannot be unpacked'],
    ['no end', () => gzipSync(craftTar(good).subarray(0, -1024)), 'ends too early'],
    ['no compression', () => craftTar(good), 'cannot be unpacked'],
    ['nothing', () => new Uint8Array(0), 'cannot be unpacked'],
    ['no database', () => craftTarGz(without('.gc/backup.db')), 'has no database in it'],
    ['no manifest', () => craftTarGz(without('.gc/backup.json')), 'has no database in it'],
    ['a large manifest', () => withManifest({ city: 'x'.repeat(100_000) }), 'too large'],
    ['a newer layout', () => withManifest({ format: 2 }), 'made by a newer gc'],
    ['a manifest without a folder', () => withManifest({ path: '' }), 'is damaged'],
    [
      'a manifest that is not JSON',
      () => craftTarGz([...without('.gc/backup.json'), { name: '.gc/backup.json' }]),
      'is damaged',
    ],
    [
      'text for a database',
      () => withDatabase(Buffer.from('text'.repeat(2000))),
      'database: the database of the backup is not taken',
    ],
    [
      'a trigger',
      () =>
        withDatabase(changedDatabase('CREATE TRIGGER sly AFTER INSERT ON events BEGIN DELETE FROM suspensions; END')),
      'database: its trigger sly is none of gc',
    ],
    [
      'a view',
      () => withDatabase(changedDatabase('CREATE VIEW sly AS SELECT 1')),
      'database: its view sly is none of gc',
    ],
    ['a missing table', () => withDatabase(changedDatabase('DROP TABLE suspensions')), 'database: is missing'],
    [
      'a newer database',
      () => withDatabase(changedDatabase('PRAGMA user_version = 9999')),
      'database: written by a newer gc',
    ],
  ]
  test.each(cases)(
    '%s',
    async (_, make, reason) => {
      const { status, err, touched, goal } = await attempt(make)
      expect(err).toContain(reason.replace('database: ', ''))
      expect([status, existsSync(goal)]).toEqual([1, false])
      expect(new Set(touched).size).toBe(reason.startsWith('database: ') ? 1 : 0)
      expect(err.trim().split('\n').length).toBe(1)
    },
    20_000,
  )
})

describe('a good backup', () => {
  /** Archive of an earlier version: every file and folder, in disk order. */
  const earlier = (): CraftedEntry[] => [
    { name: './', type: '5' },
    { name: './.gc/', type: '5' },
    { name: './.gc/system/', type: '5' },
    { name: './agents/', type: '5' },
    ...good.map((entry) => (entry.name.startsWith('.gc/backup') ? entry : { ...entry, name: `./${entry.name}` })),
  ]

  test('of an earlier version is restored, into an empty folder as well', async () => {
    const file = world.folder.at('earlier.tar.gz')
    writeFileSync(file, craftTarGz(earlier()))
    mkdirSync(world.folder.at('earlier'))
    const restored = await gc('restore', file, world.folder.at('earlier'), '--no-register')
    expect([restored.status, restored.err]).toEqual([0, BY_ITSELF])
    expect(readFileSync(world.folder.at('earlier', 'city.toml'), 'utf8')).toBe(
      readFileSync(join(town.path, 'city.toml'), 'utf8'),
    )
    expect(readdirSync(world.folder.at('earlier', '.gc')).sort()).toEqual(['city.db', 'site.toml', 'system'])
  })

  test('with links and other files in it is restored without them when a person allows it', async () => {
    const file = world.folder.at('more.tar.gz')
    const more = [{ name: 'notes/a.txt' }, { name: 'agents/x', type: '2', link: '/etc/passwd' }]
    writeFileSync(file, craftTarGz([...good, ...more]))
    const folder = world.folder.at('more')
    expect((await gc('restore', file, folder, '--no-register')).err).toContain('--skip-unknown')
    expect(existsSync(folder)).toBe(false)
    const { status, out } = await gc('restore', file, folder, '--no-register', '--skip-unknown')
    expect([status, out]).toEqual([0, expect.stringContaining('Left out: "notes/a.txt", "agents/x"')])
    expect(existsSync(join(folder, 'notes'))).toBe(false)
    expect(readdirSync(join(folder, 'agents'))).toEqual(['clerk'])
  })

  test('hides no part of a program that it would start', async () => {
    const file = world.folder.at('sly.tar.gz')
    const sly = '\n[[agent]]\nname = "sly"\nstart_command = "true \\u001b]0;; rm -rf all\\u0007\\u200b"\n'
    const append = (entry: CraftedEntry): CraftedEntry =>
      entry.name === 'city.toml' ? { ...entry, content: Buffer.from(`${entry.content}${sly}`) } : entry
    writeFileSync(file, craftTarGz(good.map(append)))
    const { status, out, err } = await gc('restore', file, world.folder.at('sly'), '--no-register')
    expect([status, err]).toEqual([0, BY_ITSELF])
    expect(out).toContain('true \\u001b]0;; rm -rf all\\u0007\\u200b')
  })

  test('is not restored over a file, a link or a folder with something in it', async () => {
    const file = world.folder.at('town.tar.gz')
    mkdirSync(world.folder.at('empty'))
    symlinkSync(world.folder.at('empty'), world.folder.at('link'))
    for (const [goal, reason] of [
      ['town', 'is not empty'],
      ['link', 'is not a folder'],
      ['earlier.tar.gz', 'is not a folder'],
    ] as const) {
      const { status, err } = await gc('restore', file, world.folder.at(goal), '--no-register')
      expect([status, err]).toEqual([1, expect.stringContaining(reason)])
    }
    expect(readdirSync(world.folder.at('empty'))).toEqual([])
    expect((await gc('restore', world.folder.at('none'), world.folder.at('new'))).err).toContain('there is no file')
  })

  test('comes back suspended beside the running city, and says what it would start', async () => {
    const events = async (city: string) =>
      (await world.call(`GET /v0/city/${city}/events?limit=1000`)).body.items.map(({ type }: { type: string }) => type)
    const running = async (city: string): Promise<number> =>
      (await world.call(`GET /v0/city/${city}/status`)).body.running
    await eventually(
      'the clerk of the first city',
      10_000,
      () => running('town'),
      (count) => count === 1,
    )
    const { status, out, err } = await gc(
      'restore',
      world.folder.at('town.tar.gz'),
      world.folder.at('copy'),
      '--name',
      'copy',
    )
    expect([status, err]).toEqual([0, BY_ITSELF])
    expect(out).toContain(`City copy is up at ${world.folder.at('copy')}`)
    expect(out).toContain('It is suspended: nothing starts until you run `gc city resume copy`.')
    expect(out).toMatch(/clerk +exec sleep 601 /)
    expect((await world.call('GET /v0/city/copy')).body.suspended).toBe(true)
    await world.stop()
    await world.start()
    await eventually(
      'both cities',
      10_000,
      () => world.call('GET /v0/cities'),
      ({ body }) => body.items.every((city: { running: boolean }) => city.running),
    )
    await eventually(
      'the clerk of the first city',
      10_000,
      () => running('town'),
      (count) => count === 1,
    )
    expect([await running('copy'), await events('copy')]).toEqual([0, expect.not.arrayContaining(['session.woke'])])
    expect((await gc('city', 'resume', 'copy')).status).toBe(0)
    await eventually(
      'the clerk of the second city',
      10_000,
      () => running('copy'),
      (count) => count === 1,
    )
    expect([await running('town'), await events('copy')]).toEqual([1, expect.arrayContaining(['session.woke'])])
  }, 40_000)
})
