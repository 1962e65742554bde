import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TempFolder } from './folder.ts'
import type { World } from './world.ts'

const FIXTURES = resolve(import.meta.dir, '../fixtures')
/** Home folder of the person in whose name the fixtures were made. */
export const FIXTURE_HOME = '/home/pat'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

export type ReleaseEvent = { [name: string]: Json } & { seq: number; type: string }

/** Responses of a release to GET requests, by path. */
export type Answers = Record<string, { status: number; body: Json }>

/** `answers.json.gz`: what a release answered about its home. */
export interface ReleaseAnswers {
  /** A city that was running when everything was killed. */
  mill: Answers
  /** A city that was unregistered before. */
  shed: Answers
  network: Answers
  /** Events of the supervisor and its cities. */
  events: ReleaseEvent[]
}

/** `keys.json`: credentials that are valid in that home. */
export interface ReleaseKeys {
  /** Address of the supervisor when the answers were recorded. */
  url: string
  /** Token of a session that was lent, and the bead it had claimed. */
  lent: { token: string; bead: string }
  /** Two keys of one agent, and the keys of agents that were deleted and suspended. */
  network: { first: string; second: string; deleted: string; suspended: string }
}

/** `names.json`: the names that a release stores. */
export interface ReleaseNames {
  consumers: string[]
  tables: { city: string[]; registry: string[]; network: string[] }
  events: string[]
  metadata: string[]
}

export const fixtureFile = (release: string, name: string): string => join(FIXTURES, release, name)

/** Reads a JSON file of a fixture, which may be compressed. */
export function fixtureJson<T>(release: string, name: string): T {
  const bytes = readFileSync(fixtureFile(release, name))
  const text = name.endsWith('.gz') ? new TextDecoder().decode(Bun.gunzipSync(bytes)) : bytes.toString()
  return JSON.parse(text)
}

export const eventsOf = (answers: Answers): ReleaseEvent[] => Object(answers['/events?limit=1000']?.body).items
export const lastEventOf = (answers: Answers): number => Math.max(...eventsOf(answers).map(({ seq }) => seq))

/**
 * Unpacks the home of a release into the folder of a world and changes the paths in it, as if it had been made there.
 * The unregistered city `shed` keeps its old paths, like a folder that somebody moved.
 */
export function unpackHome(release: string, folder: TempFolder): void {
  const user = folder.at('user')
  mkdirSync(user, { recursive: true })
  const tar = [
    'tar',
    '-xzf',
    fixtureFile(release, 'home.tar.gz'),
    '-C',
    user,
    '--strip-components=1',
    '--no-same-owner',
  ]
  const { exitCode, stderr } = Bun.spawnSync(tar)
  if (exitCode !== 0) throw new Error(stderr.toString())
  for (const pattern of ['mill/.gc/site.toml', 'mill/.gc/worktrees/shop/*/.git', 'shop/.git/worktrees/*/gitdir']) {
    for (const path of new Bun.Glob(pattern).scanSync({ cwd: user, dot: true })) changeFile(join(user, path), user)
  }
  for (const path of ['.gc/supervisor.db', 'mill/.gc/city.db']) changeDatabase(join(user, path), user)
  const logs = join(user, '.claude/projects')
  for (const name of readdirSync(logs)) {
    renameSync(join(logs, name), join(logs, name.replace(logFolder(FIXTURE_HOME), logFolder(user))))
  }
  renameSync(join(user, '.gc'), folder.at('home'))
}

/** Name of the folder in which Claude Code keeps the logs of a project. */
const logFolder = (path: string): string => path.replace(/[/.]/g, '-')

const changeFile = (path: string, home: string): void =>
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(FIXTURE_HOME, home))

/** Changes the paths in a database without a checkpoint, so that its write-ahead log is still to be recovered. */
function changeDatabase(path: string, home: string): void {
  const db = new Database(path, { readwrite: true, strict: true })
  db.run('PRAGMA wal_autocheckpoint = 0')
  const columns = db.query<{ table: string; column: string }, []>(
    `SELECT t.name AS "table", c.name AS "column" FROM pragma_table_list t, pragma_table_xinfo(t.name) c
     WHERE t.type = 'table' AND t.schema = 'main' AND t.name NOT LIKE 'sqlite_%' AND c.type = 'TEXT' AND c.hidden = 0`,
  )
  for (const { table, column } of columns.all()) {
    const change = `"${column}" = replace("${column}", $from, $to)`
    db.query(`UPDATE "${table}" SET ${change} WHERE instr("${column}", $from)`).run({ from: FIXTURE_HOME, to: home })
  }
  const files = [path, `${path}-wal`].filter((file) => existsSync(file))
  const contents = files.map((file) => readFileSync(file))
  db.close(true)
  for (const [index, file] of files.entries()) writeFileSync(file, contents[index] ?? '', { mode: 0o600 })
}

/** Sends the requests of `answers` again and returns where the answers differ now. */
export async function changes(world: World, answers: Answers, prefix: string, url: string, token?: string) {
  const changed: Difference[] = []
  for (const [path, answer] of Object.entries(answers)) {
    const { status, body } = await world.call(`GET ${prefix}${path}`, token === undefined ? {} : { token })
    const current = asRecorded({ status, body }, { world, url })
    changed.push(...differences(comparable({ ...answer }), comparable(current), path))
  }
  return changed
}

/** Changes that the passage of time and the start of the server explain. */
const TIME = [
  /^\/budgets\.body\.items\.\d+\.(spent|period_start|period_end)$/,
  /^\/maintenance\/status\.body\.next_scheduled$/,
  /^(\/status)?\.body\.uptime_sec$/,
  /^\/status\.body\.store_health\./,
  /^\/usage\.body\.(today|last_24h|recent|recent_by_session|updated_at)\b/,
]

/** Sentences that are written when a request is answered, not stored. */
const WORDING = [
  /^\/agents\/status\.body\.(message|next_step)$/,
  /^\/agents\.body\.items\.\d+\.unavailable_reason$/,
  /^\/attention\.body\.items\.\d+\.asks$/,
]

/** Claims of lent sessions, which get their full term again at a start. */
export const LEASES = /^\/claims\.body\.items\.\d+\.expires_at$/

/** Differences that `expected` does not explain, nor time or wording, one line each. */
export const unexpected = (changed: readonly Difference[], expected: readonly RegExp[]): string[] =>
  changed
    .filter(({ path }) => ![...TIME, ...WORDING, ...expected].some((pattern) => pattern.test(path)))
    .map(({ path, recorded, current }) => `${path}: ${short(recorded)} is now ${short(current)}`)

const short = (value: Json | undefined): string => (JSON.stringify(value) ?? 'nothing').slice(0, 200)

/** Reduces an error to its code, and parses a body of JSON lines into a list. */
function comparable(answer: Json): Json {
  const { status, body } = { ...Object(answer) }
  if (status >= 400) return { status, code: body.code }
  if (typeof body !== 'string' || !body.startsWith('{')) return answer
  const lines = body.trimEnd().split('\n')
  return { ...Object(answer), body: lines.map((line) => JSON.parse(line)) }
}

/** Replaces the folder and the address of a world by those of the recorded answers. */
export const asRecorded = (value: Json, { world, url }: { world: World; url: string }): Json =>
  JSON.parse(JSON.stringify(value).replaceAll(world.folder.at('user'), FIXTURE_HOME).replaceAll(world.url, url))

export interface Difference {
  path: string
  recorded: Json | undefined
  current: Json | undefined
}

/**
 * Places where two values differ. List items are matched by id or event number where they have one, otherwise by
 * position.
 */
export function differences(recorded: Json | undefined, current: Json | undefined, path = ''): Difference[] {
  const [before, after] = [fieldsOf(recorded), fieldsOf(current)]
  if (before && after && Array.isArray(recorded) === Array.isArray(current)) {
    const names = [...new Set([...before.keys(), ...after.keys()])]
    const inside = names.flatMap((name) => differences(before.get(name), after.get(name), `${path}.${name}`))
    return [...inside, ...(Array.isArray(recorded) ? reordered(before, after, path) : [])]
  }
  return Bun.deepEquals(recorded, current) || isSameTime(recorded, current) ? [] : [{ path, recorded, current }]
}

/** True if two texts are the same time, written with and without zeros at the end of its fraction. */
const isSameTime = (one: Json | undefined, other: Json | undefined): boolean =>
  [one, other].every((time) => typeof time === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time)) &&
  Date.parse(String(one)) === Date.parse(String(other))

function reordered(before: Map<string, Json>, after: Map<string, Json>, path: string): Difference[] {
  const recorded = [...before.keys()].filter((name) => after.has(name))
  const current = [...after.keys()].filter((name) => before.has(name))
  return Bun.deepEquals(recorded, current) ? [] : [{ path: `${path} order`, recorded, current }]
}

function fieldsOf(value: Json | undefined): Map<string, Json> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value)) return new Map(Object.entries(value))
  return new Map(value.map((item, index) => [idOf(item) ?? String(index), item]))
}

function idOf(item: Json): string | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return undefined
  const { id, seq, ts } = item
  if (typeof id === 'string') return id
  return typeof seq === 'number' && typeof ts === 'string' ? `#${seq}` : undefined
}

/** Columns by table that a later version dropped, because nothing read them. */
const DROPPED: Readonly<Record<string, readonly string[]>> = {
  acp_sessions: ['mode'],
  claims: ['hosted'],
  session_messages: ['reason', 'created_at'],
}

/** Rows of a table without the columns that a later version dropped. */
export const withoutDropped = (table: string, rows: readonly object[]): object[] =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => !DROPPED[table]?.includes(column))))

/** Intended additions to responses since 0.1.0. */
export const ADDED_SINCE = [
  // A feed says whether it is made of what its reader chose.
  /^\/feed\?.*\.body\.personalized$/,
  // A post or comment says whether it was edited, and a post where its comments go on.
  /^\/(posts|comments|agents\/profile)\b[^ ]*\.(edited_at|next_comments_cursor)$/,
  // A line of an export has the fields that bd needs, each under the name that bd gives it.
  /^\/beads\/export\.body\.[^.]+\.(_type|priority|parent|metadata(\.close_reason)?)$/,
  /^\/beads\/export\.body\.[^.]+\.dependencies(\.\d+(\.(created_at|metadata))?)?$/,
  /^\/bead\/[^/]+\/history\.body\.actors$/,
  // A structured transcript tells why it is degraded.
  /^\/session\/[^/]+\/transcript\?format=structured\.body\.history\.(continuity|tail_state|diagnostics)(\.(status|note|degraded|degraded_reason))?$/,
  // Its end names the questions that wait for an answer.
  /^\/session\/[^/]+\/transcript\?format=structured\.body\.history\.tail_state\.pending_interaction_ids$/,
  // Every running session of a pool is shown in a row of it.
  /^\/agents\.body\.items\.\d+\.(state|running|session|activity|model|context_pct|context_window)$/,
  // An agent that city.toml does not declare is pack derived.
  /^\/agents\.body\.items\.\d+\.pack_derived$/,
  /^\/config\/explain\.body\.agents\.\d+\.origin$/,
  // What waits for a person is announced, also in the history of its bead.
  /^\/bead\/[^/]+\/history\.body\.(total|items\.#\d+)$/,
  // A prompt tells what is wrong in it, has no blank end, and is a template only if its file says so.
  /^\/session\/[^/]+\/prompt\.body\.(warnings|content)$/,
  // A provider without variables has no list of them.
  /^\/providers\.body\.items\.\d+\.env$/,
  // Providers are shown as they are declared, and how they are given prompts.
  /^\/config(\/explain|\/defaults)?\.body\.providers\.\w+\.(env|args)$/,
  /^\/providers\.body\.items\.\d+\.prompt_mode$/,
  // Codex is started so that its login shells find gc.
  /^\/config(\/explain|\/defaults)?\.body\.providers\.codex\.args\.[23]$/,
  /^\/providers\.body\.items\.\d+\.args\.[23]$/,
  // A list of budgets tells whom it cannot count.
  /^\/budgets\.body\.(strict|uncounted)$/,
  // More waits for a person, in one shape.
  /^\/attention\.body\.(total|items\..+)$/,
  // Profiles have comments, communities have rules, and the network has a community for announcements.
  /\.(recent_comments|recentComments|rules|labels)$/,
  /^\/submolts\?limit=100\.body\.(count|pagination\.count|(submolts|data)\.00000000-0000-7000-8000-000000000002)$/,
  /^\/status\.body\.(agents\.running|agent_details\.\d+\.(running|session_name|draining))$/,
  // Second names are only in the format of the clients that read them, and items of lists have fewer fields.
  /\.(postId|parentId|authorId|authorName|authorDisplayName|commentCount|userVote|createdAt|postType|displayName)$/,
  /\.(subscriberCount|postCount|iconUrl|bannerUrl|isSubscribed|yourRole)$/,
  /\.body\.data\b/,
  /^\/(posts|feed|search|submolts\/[^/]+\/feed)\b[^ ]*\?[^ ]*\.body\.(posts|comments)\..*\.(type|post_type|url|submolt_id|updated_at|is_\w+|user_vote|you_follow_author)$/,
  /^\/(posts|feed|search|submolts\/[^/]+\/feed)\b[^ ]*\.body\.(posts|comments)\..*\.(author_\w+|author\.\w+)$/,
  /^\/(posts|comments)\b[^ ]*\.(repeated_count|repeat_count|updated_at|user_vote)$/,
  // A search needs not all words, and orders by how well a result matches.
  /^\/search\b[^ ]*\.body\./,
]
