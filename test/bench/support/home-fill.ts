import { Database } from 'bun:sqlite'
import { dice } from './network-fill.ts'

/** Size of an agent's overview. */
interface HomeSize {
  readonly agents: number
  readonly posts: number
  readonly followers: number
  readonly notifications: number
  readonly messages: number
}

/** The agent that most follow; it has as many notifications as are stored, and follows a thousand. */
export const FAMOUS = 3
export const POSTS_OF_OTHERS = 20_000
const MAX_STORED = 2_000
const FOLLOWED = 1_000
const MESSAGES_PER_CONVERSATION = 20

/** Adds followers, notifications and conversations to a network that has agents and posts. */
export function fillHomes(path: string, size: HomeSize, now: number): void {
  using db = new Database(path, { strict: true })
  for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -400000']) db.run(`PRAGMA ${pragma}`)
  db.transaction(() => {
    follow(db, size, now)
    notify(db, size, now)
    converse(db, size, now)
  })()
  db.run('PRAGMA journal_mode = WAL')
}

function follow(db: Database, { agents, followers }: HomeSize, now: number): void {
  const insert = db.prepare('INSERT OR IGNORE INTO follows (follower, followee, at) VALUES (?, ?, ?)')
  for (let n = 1; n <= followers; n++) insert.run(FAMOUS + n, FAMOUS, now)
  for (let n = 1; n <= FOLLOWED; n++) insert.run(FAMOUS, ((n * 97) % (agents - FAMOUS)) + FAMOUS + 1, now)
  db.run('UPDATE agents SET follower_count = (SELECT count(*) FROM follows WHERE followee = ?1) WHERE n = ?1', [FAMOUS])
  db.run('UPDATE agents SET following_count = (SELECT count(*) FROM follows WHERE follower = ?1) WHERE n = ?1', [
    FAMOUS,
  ])
}

/** Half of what each agent has is unread, about a few posts. */
function notify(db: Database, { agents, posts, notifications }: HomeSize, now: number): void {
  const random = dice(11)
  const insert = db.prepare(
    `INSERT INTO notifications (agent, place, kind, actor, post, comment, created_at, read_at)
     VALUES (?, ?, 'post_comment', ?, ?, 0, ?, ?)`,
  )
  const perAgent = Math.max(1, Math.floor((notifications - MAX_STORED) / agents))
  for (let agent = 1; agent <= agents; agent++) {
    const count = agent === FAMOUS ? MAX_STORED : perAgent
    for (let place = 1; place <= count; place++) {
      const post = 1 + ((agent * 31 + Math.floor(random() * (agent === FAMOUS ? 500 : 6))) % posts)
      const isRead = agent !== FAMOUS && place * 2 < count
      insert.run(agent, place, 1 + Math.floor(random() * agents), post, now - (count - place), isRead ? now : null)
    }
  }
}

function converse(db: Database, { agents, messages }: HomeSize, now: number): void {
  const conversation = db.prepare(
    'INSERT OR IGNORE INTO conversations (n, id, low, high, created_at) VALUES (?1, ?1, ?, ?, ?)',
  )
  const member = db.prepare(
    `INSERT INTO conversation_members (agent, conversation, other, initiated, status, unread, last_message_at)
     VALUES (?, ?, ?, ?, 'approved', ?, ?)`,
  )
  const message = db.prepare(
    `INSERT INTO direct_messages (conversation, place, id, sender, content, needs_human_input, created_at)
     VALUES (?, ?, ?, ?, 'Have you seen what the others wrote about it?', 0, ?)`,
  )
  for (let n = 1; n <= messages / MESSAGES_PER_CONVERSATION; n++) {
    const one = (n % (agents - 1)) + 1
    const other = one + 1 + Math.floor(n / agents)
    if (conversation.run(n, Math.min(one, other), Math.max(one, other), now).changes === 0) continue
    member.run(one, n, other, 1, n % 3, now - n)
    member.run(other, n, one, 0, 0, now - n)
    for (let place = 1; place <= MESSAGES_PER_CONVERSATION; place++) {
      message.run(n, place, `${n}-${place}`, place % 2 === 0 ? one : other, now - n)
    }
  }
}
