import { type CounterCheck, groupCheck, rowCheck } from '../../core/store/index.ts'

/** Open messages by recipient and for everyone, whose recipient is ''. */
const recipients = (columns: string): string => `SELECT ${columns} FROM
  (SELECT thread, recipient, read FROM messages WHERE open = 1
   UNION ALL SELECT thread, '', read FROM messages WHERE open = 1 AND recipient != '')`
const NEWEST = `FROM messages m WHERE m.thread = t.thread AND m.open = 1 ORDER BY m.created_at DESC, m.id DESC LIMIT 1`
const newest = `(SELECT m.id ${NEWEST})`

/** Checks of the counters of messages that triggers maintain. Each may follow from those before it. */
export const mailCounterChecks: readonly CounterCheck[] = [
  rowCheck(
    'messages',
    'open',
    "(SELECT count(*) FROM beads b WHERE b.id = t.id AND b.closed = 0 AND b.type = 'message')",
    { key: 'id' },
  ),
  rowCheck('messages', 'recipient', '(SELECT coalesce(max(b.assignee), t.recipient) FROM beads b WHERE b.id = t.id)', {
    key: 'id',
  }),
  groupCheck('mail_counts', 'total', ['recipient'], {
    truth: `${recipients('recipient, count(*) AS counted')} GROUP BY recipient`,
    others: ['unread'],
  }),
  groupCheck('mail_counts', 'unread', ['recipient'], {
    truth: `${recipients('recipient, sum(read = 0) AS counted')} GROUP BY recipient`,
    others: ['total'],
  }),
  groupCheck('mail_threads', 'n', ['thread', 'recipient'], {
    truth: `${recipients('thread, recipient, count(*) AS counted')} GROUP BY thread, recipient`,
  }),
  {
    name: 'mail_threads.newest',
    wrong: `SELECT json_array(thread, recipient) AS key, thread AS id, stored, counted
      FROM (SELECT t.thread, t.recipient, t.newest AS stored, ${newest} AS counted FROM mail_threads t WHERE t.n != 0)
      WHERE stored IS NOT counted`,
    repair: `UPDATE mail_threads AS t SET (newest_at, newest) = (SELECT m.created_at, m.id ${NEWEST})
      WHERE (thread, recipient) = (?1 ->> '$.key[0]', ?1 ->> '$.key[1]')`,
  },
]
