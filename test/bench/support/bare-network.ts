import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { closeSync, fdatasyncSync, openSync } from 'node:fs'
import { type Size, wordsOf } from './network-fill.ts'

/** Opens a copy of the network as nothing but a database. */
export function bareNetwork(path: string): Database {
  const db = new Database(path, { strict: true })
  for (const pragma of ['journal_mode = WAL', 'synchronous = NORMAL', 'cache_size = -65536']) db.run(`PRAGMA ${pragma}`)
  return db
}

/** The statements of one write and what they are given on its turn: the same rows that the network writes. */
export type BareWrite = readonly { sql: string; values(turn: number): SQLQueryBindings[] }[]

/** Writes a second, in commits of a given size, each on disk before the next. */
export function bareWrites(db: Database, write: BareWrite, group: number, seconds: number): number {
  const statements = write.map(({ sql, values }) => ({ statement: db.prepare(sql), values }))
  db.run('UPDATE agents SET karma = karma WHERE n = 1')
  const wal = openSync(`${db.filename}-wal`, 'r')
  const end = performance.now() + seconds * 1000
  let turn = 0
  while (performance.now() < end) {
    db.run('BEGIN IMMEDIATE')
    for (let n = 0; n < group; n++, turn++)
      for (const { statement, values } of statements) statement.run(...values(turn))
    db.run('COMMIT')
    fdatasyncSync(wal)
  }
  closeSync(wal)
  return turn / seconds
}

/** Subject of a turn: a few, spread over all, far more often than the rest. The same in every run. */
export function famousOf(turn: number, most: number): number {
  let mixed = Math.imul(turn + 1, 0x9e3779b1)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)
  const share = ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32
  return ((Math.floor(most * share ** 4) * 7_368_787) % most) + 1
}

/** Agent of a turn: another each time. */
export const agentOf = (turn: number, agents: number): number => ((turn * 31) % (agents - 2)) + 2

const ID = 'x'.repeat(36)

const charge = (what: string, agents: number) => ({
  sql: 'INSERT INTO charges (who, what, at, turn) VALUES (?, ?, ?, ?)',
  values: (turn: number) => [String(agentOf(turn, agents)), what, Date.now(), turn],
})

const event = (type: string, agents: number, payload: Record<string, unknown>) => ({
  sql: 'INSERT INTO events (type, at, actor, subject, payload) VALUES (?, ?, ?, ?, ?)',
  values: (turn: number) => [type, Date.now(), `agent${agentOf(turn, agents)}`, ID, JSON.stringify(payload)],
})

const counted = (table: string, column: string, of: (turn: number) => number) => ({
  sql: `UPDATE ${table} SET ${column} = ${column} + 1 WHERE n = ?`,
  values: (turn: number) => [of(turn)],
})

/** A vote on a post: the vote, what it moves, what it is charged, its notifications. */
export const bareVote = ({ posts, agents }: Size): BareWrite => [
  {
    sql: 'INSERT OR REPLACE INTO votes (agent, kind, target, value, at) VALUES (?, 0, ?, 1, ?)',
    values: (turn) => [agentOf(turn, agents), famousOf(turn, posts), Date.now()],
  },
  {
    sql: `UPDATE posts SET score = score + 1, upvotes = upvotes + 1, hot = hot + 0.001, rising = rising * 1.01,
      controversy = controversy + 1 WHERE n = ?`,
    values: (turn) => [famousOf(turn, posts)],
  },
  counted('agents', 'karma', (turn) => famousOf(turn, agents)),
  charge('vote', agents),
  event('post.voted', agents, { target_id: ID, agent_id: ID, value: 1 }),
]

/** A post that no one has voted on; its words are indexed by a trigger. */
export const barePost = ({ agents, submolts }: Size, random: () => number): BareWrite => [
  {
    sql: `INSERT INTO posts (id, submolt, author, title, content, hot, rising, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    values(turn) {
      const now = Date.now()
      const place = [`bare-${now}-${turn}`, famousOf(turn, submolts), agentOf(turn, agents)] as const
      return [...place, wordsOf(random, 6), wordsOf(random, 20), now / 45_000_000, 0.35, now, now]
    },
  },
  counted('agents', 'posts_count', (turn) => agentOf(turn, agents)),
  {
    sql: 'UPDATE submolts SET post_count = post_count + 1, last_activity_at = ? WHERE n = ?',
    values: (turn) => [Date.now(), famousOf(turn, submolts)],
  },
  charge('post', agents),
  event('post.created', agents, { post_id: ID, submolt: 'general', author_id: ID }),
]

/** A comment on a post. */
export const bareComment = ({ posts, agents }: Size, random: () => number): BareWrite => [
  {
    sql: `INSERT INTO comments (id, post, parent, author, content, depth, created_at, updated_at)
      VALUES (?, ?, 0, ?, ?, 0, ?, ?)`,
    values(turn) {
      const now = Date.now()
      const place = [`bare-${now}-${turn}`, famousOf(turn, posts), agentOf(turn, agents)] as const
      return [...place, wordsOf(random, 12), now, now]
    },
  },
  counted('posts', 'comment_count', (turn) => famousOf(turn, posts)),
  counted('agents', 'comments_count', (turn) => agentOf(turn, agents)),
  charge('comment', agents),
  event('comment.created', agents, { comment_id: ID, post_id: ID, author_id: ID }),
]
