import { isOfPeople } from '../../core/actor.ts'
import type { Clock } from '../../core/clock.ts'
import { isObject } from '../../core/json.ts'
import { command, query, type Store, type Tx } from '../../core/store/index.ts'
import type { AskedSubject } from '../../programs/terminal-profile.ts'
import { isOfSession } from './command-folders.ts'
import type { QuestionRow } from './table.ts'

/** Answers that people repeated for an agent. */
export interface AlikeAnswers {
  agent: string
  subject: AskedSubject
  times: number
}

/** Number of answers of a rule, and the time of the last. */
export interface RuleUse {
  uses: number
  lastUsedAt: number
}

/** So many agents and subjects are counted: those that were answered last. */
const MAX_COUNTED = 1_000

const COUNT_USE = command<[string, number]>(`INSERT INTO rule_uses (rule, uses, last_used_at) VALUES (?, 1, ?)
       ON CONFLICT (rule) DO UPDATE SET uses = uses + 1, last_used_at = excluded.last_used_at`)

const USAGE = query<{ uses: number; lastUsedAt: number }, [string]>(
  'SELECT uses, last_used_at AS lastUsedAt FROM rule_uses WHERE rule = ?',
)

const FORGET_RULE = command<[string]>('DELETE FROM rule_uses WHERE rule = ?')

const REMEMBER_RULE = command<[string]>('INSERT OR IGNORE INTO rule_uses (rule, uses, last_used_at) VALUES (?, 0, 0)')

const RULES = query<{ rule: string }>('SELECT rule FROM rule_uses')

const COUNT = command<
  [string, string, number]
>(`INSERT INTO answered_alike (agent, subject, n, last_at) VALUES (?, ?, 1, ?)
       ON CONFLICT (agent, subject) DO UPDATE SET n = n + 1, last_at = excluded.last_at`)

const RESET = command<[string, string]>('DELETE FROM answered_alike WHERE agent = ? AND subject = ?')

const PRUNE = command<[number]>(`DELETE FROM answered_alike WHERE last_at <= (
         SELECT last_at FROM answered_alike ORDER BY last_at DESC LIMIT 1 OFFSET ?)`)

const ALIKE = query<{ agent: string; subject: string; n: number }, [number]>(
  'SELECT agent, subject, n FROM answered_alike WHERE n >= ?',
)

/** Counts how often rules answer, and how often people give the same answer. */
export class AnswerCounts {
  constructor(
    private readonly store: Store,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly agentOf: (session: string) => string | undefined,
  ) {}

  /** Counts the answer of a question that is over. */
  note(tx: Tx, row: QuestionRow): void {
    const now = this.clock.now()
    if (row.rule !== null) return void tx.run(COUNT_USE, row.rule, now)
    const agent = this.agentOf(row.sessionId)
    const { subject } = row.question
    if (!subject || agent === undefined || !isOfPeople(row.actor)) return
    // A rule would be for the folder of the session.
    if (subject.kind === 'command' && subject.folder && !isOfSession(subject.folder, row.folder)) return
    const key = JSON.stringify(subject)
    if (row.choice?.role !== 'allow-once') return void tx.run(RESET, agent, key)
    tx.run(COUNT, agent, key, now)
    tx.run(PRUNE, MAX_COUNTED)
  }

  usageOf(rule: string): RuleUse {
    return this.store.get(USAGE, rule) ?? { uses: 0, lastUsedAt: 0 }
  }

  /** The rules that are on record as added. */
  rules(): ReadonlySet<string> {
    return new Set(this.store.all(RULES).map(({ rule }) => rule))
  }

  remember(tx: Tx, rule: string): void {
    tx.run(REMEMBER_RULE, rule)
  }

  forget(tx: Tx, rule: string): void {
    tx.run(FORGET_RULE, rule)
  }

  /** Requests allowed that many times and never denied since. */
  alike(times: number): AlikeAnswers[] {
    const rows = this.store.all(ALIKE, times).sort((a, b) => b.n - a.n || a.agent.localeCompare(b.agent))
    return rows.flatMap(({ agent, subject, n }) => {
      const parsed: unknown = JSON.parse(subject)
      return isSubject(parsed) ? [{ agent, subject: parsed, times: n }] : []
    })
  }
}

const KINDS: ReadonlySet<unknown> = new Set(['command', 'read', 'write', 'fetch', 'tool'])

const isSubject = (value: unknown): value is AskedSubject => isObject(value) && KINDS.has(value.kind)
