/**
 * Cost of an agent's first read in a network of 200,000 agents, 5,000,000 notifications and 1,000,000 direct messages:
 * `/home` of a popular agent and of others; notifications and messages. Beside each what plain bun:sqlite takes for the
 * rows alone. `bun test/bench/social-home.bench.ts [share]`: a share below 1 makes a smaller network.
 */
import { Database } from 'bun:sqlite'
import { copyFileSync, mkdirSync } from 'node:fs'
import type { Clock } from '../../src/core/clock.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import type { AgentCaller } from '../../src/http/caller.ts'
import { Network } from '../../src/social/network/network.ts'
import { tempFolder } from '../support/folder.ts'
import { UNLIMITED } from '../support/unlimited.ts'
import { at, both, say, Table, whole } from './support/figures.ts'
import { FAMOUS, fillHomes, POSTS_OF_OTHERS } from './support/home-fill.ts'
import { filledNetwork } from './support/network-fill.ts'

const SHARE = Number(process.argv[2] ?? 1)
const scaled = (count: number): number => Math.round(count * SHARE)
const SIZE = {
  ...{ agents: scaled(200_000), submolts: 100, posts: POSTS_OF_OTHERS, comments: 20_000, votes: 20_000 },
  ...{ followers: scaled(100_000), notifications: scaled(5_000_000), messages: scaled(1_000_000) },
}
const TARGET = 10
const TIMES = 500

const table = new Table()
using folder = tempFolder()
mkdirSync(folder.at('home'), { mode: 0o700 })
const path = folder.at('home', 'social.db')
const newest = await filledNetwork(path, SIZE)
fillHomes(path, SIZE, newest)
copyFileSync(path, folder.at('bare.db'))

const started = performance.now()
const clock: Clock = { now: () => Math.round(newest + performance.now() - started), monotonic: () => performance.now() }
const deadlines = new Deadlines(clock)
const network = await Network.open({
  ...{ path, clock, deadlines, address: () => 'http://localhost' },
  settings: { limits: UNLIMITED },
  report: (error) => say(String(error)),
})
const bare = new Database(folder.at('bare.db'), { readonly: true })
bare.run('PRAGMA cache_size = -65536')

const callerOf = (n: number): AgentCaller => ({ kind: 'agent', n, id: `agent${n}`, name: `agent${n}` })
/** Another agent each time. */
const anyOf = (turn: number): number => ((turn * 7_919) % (SIZE.agents - 2)) + 2

interface Samples {
  readonly taken: number[]
  /** Milliseconds of processor that each took: what others do on this machine is not in them. */
  readonly cpu: number[]
}

const processor = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

async function samplesOf(run: (turn: number) => unknown): Promise<Samples> {
  for (let turn = 0; turn < TIMES / 10; turn++) await run(turn)
  const [taken, cpu]: [number[], number[]] = [[], []]
  for (let turn = 0; turn < TIMES; turn++) {
    const [begun, spent] = [performance.now(), processor()]
    await run(turn)
    taken.push(performance.now() - begun)
    cpu.push(processor() - spent)
  }
  return { taken, cpu }
}

async function read(what: string, run: (turn: number) => unknown, sql: readonly string[], agentOf = anyOf) {
  const { taken, cpu: spent } = await samplesOf(run)
  const statements = sql.map((each) => bare.prepare<unknown, [number]>(each))
  const raw = await samplesOf((turn) => statements.map((statement) => statement.all(agentOf(turn))))
  const late = at(taken, 0.99)
  const figure = `${both(taken)}, cpu ${both(spent)}; raw ${both(raw.taken)}, cpu ${both(raw.cpu)}`
  table.row(what, figure, `p99 < ${TARGET} ms`, late < TARGET)
}

const SQL = {
  unread: 'SELECT count(*) FROM notifications WHERE agent = ? AND read_at IS NULL',
  activity: `SELECT u.post, u.count, p.id, p.title FROM (SELECT post, count(*) AS count, max(place) AS newest FROM notifications
    WHERE agent = ? AND read_at IS NULL AND post > 0 GROUP BY post) u JOIN posts p ON p.n = u.post ORDER BY u.newest DESC LIMIT 10`,
  followed: `SELECT p.* FROM posts p INDEXED BY posts_new WHERE p.unlisted IS NULL AND p.deleted_at IS NULL
    AND EXISTS (SELECT 1 FROM follows f WHERE f.follower = ? AND f.followee = p.author) ORDER BY p.created_at DESC LIMIT 6`,
  messages: 'SELECT count(*), sum(unread) FROM conversation_members WHERE agent = ? AND unread > 0',
  agent: 'SELECT * FROM agents WHERE n = ?',
  notifications: `SELECT n.*, a.name, p.title FROM notifications n JOIN agents a ON a.n = n.actor LEFT JOIN posts p ON p.n = n.post
    WHERE n.agent = ? ORDER BY n.place DESC LIMIT 26`,
  conversations: `SELECT m.*, a.name FROM conversation_members m JOIN agents a ON a.n = m.other WHERE m.agent = ? AND m.status = 'approved'
    ORDER BY m.last_message_at DESC LIMIT 26`,
}
const HOME = [SQL.agent, SQL.unread, SQL.activity, SQL.followed, SQL.messages]
const famous = callerOf(FAMOUS)
const itself = () => FAMOUS

await read(`home of an agent with ${whole(SIZE.followers)} followers`, () => network.home.show(famous), HOME, itself)
await read('home of others', (turn) => network.home.show(callerOf(anyOf(turn))), HOME)
await read(
  'notifications of the followed agent',
  () => network.notifications.list(famous, {}),
  [SQL.notifications],
  itself,
)
await read('notifications of others', (turn) => network.notifications.list(callerOf(anyOf(turn)), {}), [
  SQL.notifications,
])
await read(
  'unread notifications of others',
  (turn) => network.notifications.list(callerOf(anyOf(turn)), { filter: 'unread' }),
  [SQL.notifications],
)
await read('direct messages: what is new', (turn) => network.directMessages.check(callerOf(anyOf(turn))), [
  SQL.messages,
])
await read('direct messages: conversations', (turn) => network.directMessages.list(callerOf(anyOf(turn)), {}), [
  SQL.conversations,
])
await read('profile of the followed agent', () => network.profiles.show({ n: 2 }, famous.name), [SQL.agent], itself)

bare.close(true)
await network.close()
deadlines.close()
table.print(
  `coming back: ${whole(SIZE.agents)} agents, ${whole(SIZE.notifications)} notifications, ${whole(SIZE.messages)} messages`,
)
