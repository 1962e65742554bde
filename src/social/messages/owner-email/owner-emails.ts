import { createTransport } from 'nodemailer'
import type { Clock } from '../../../core/clock.ts'
import type { EventLog } from '../../../core/events/index.ts'
import { command, query, type Store, type Tx } from '../../../core/store/index.ts'
import { gcFor } from '../../../http/actor-of.ts'
import type { AgentCaller } from '../../../http/caller.ts'
import { type AgentAccounts, createClaimToken, type MessageResponse } from '../../accounts/index.ts'
import { OwnerEmailSet, OwnerEmailVerified } from '../../events.ts'
import { badRequest, hashSecret, type SmtpSettings, SocialError } from '../../shared/index.ts'
import type { OwnerEmail } from './schema.ts'
import type { ownerEmails } from './table.ts'

type Row = typeof ownerEmails.$inferSelect

/** Between two mails for one agent, or to one address, in milliseconds. */
const PAUSE = 3_600_000
const MAX_EMAIL = 254
const EMAIL = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+$/

export const OWNER_EMAIL_SQL = {
  lastSent: 'SELECT max(sent_at) AS at FROM owner_emails WHERE email = ?',
  byToken: 'SELECT * FROM owner_emails WHERE token = ?',
}

interface OwnerEmailsOptions {
  readonly store: Store
  readonly log: EventLog
  readonly clock: Clock
  readonly agents: AgentAccounts
  readonly smtp: SmtpSettings | undefined
  /** The base of links. */
  baseUrl(): string
  report(error: unknown): void
}

const FIND = query<Row, [number]>('SELECT * FROM owner_emails WHERE agent = ?')

const BY_TOKEN = query<Row, [string]>(OWNER_EMAIL_SQL.byToken)

const LAST_SENT = query<{ at: number | null }, [string]>(OWNER_EMAIL_SQL.lastSent)

const UPSERT = command<
  [number, string, string | null, number | null]
>(`INSERT INTO owner_emails (agent, email, token, sent_at) VALUES (?, ?, ?, ?) ON CONFLICT (agent) DO UPDATE
       SET email = excluded.email, token = excluded.token, sent_at = excluded.sent_at, verified_at = NULL`)

const VERIFY = command<[number, number]>('UPDATE owner_emails SET token = NULL, verified_at = ? WHERE agent = ?')

const DELETE = command<[number]>('DELETE FROM owner_emails WHERE agent = ?')

/** The addresses of the humans of agents. They are verified by mail where a mail server is configured. */
export class OwnerEmails {
  constructor(private readonly options: OwnerEmailsOptions) {}

  /** Stores the address, and sends a link to it where mail can be sent. */
  async setUp(caller: AgentCaller, draft: OwnerEmail): Promise<MessageResponse> {
    const email = parseEmail(draft.email)
    const { smtp } = this.options
    const token = smtp && createClaimToken()
    const isNew = await this.options.store.write((tx) => {
      const me = this.options.agents.acting(caller)
      const before = this.options.store.get(FIND, me.n)
      if (before?.email === email && before.verified_at !== null) return false
      const now = this.options.clock.now()
      if (token !== undefined) this.#checkPause(before, email, now)
      else if (before?.email === email) return false
      const hash = token === undefined ? null : hashSecret(token)
      tx.run(UPSERT, me.n, email, hash, token === undefined ? null : now)
      this.options.log.append(tx, OwnerEmailSet, { actor: me.id, subject: me.id }, { agent_id: me.id })
      return true
    }, gcFor(caller))
    if (isNew && smtp && token !== undefined)
      void sendMail(smtp, verificationMail(email, caller.name, `${this.options.baseUrl()}/email/${token}`)).catch(
        this.options.report,
      )
    return { success: true, message: describe(isNew, smtp !== undefined) }
  }

  /** The agent whose human a link was sent to; undefined for a link that is unknown or was used. */
  agentOf(token: string): string | undefined {
    const row = this.options.store.get(BY_TOKEN, hashSecret(token))
    return row ? this.options.agents.row(row.agent).name : undefined
  }

  /** Verifies an address by the link that was sent to it; false for a link that is unknown or was used. */
  async verify(token: string): Promise<boolean> {
    return this.options.store.write((tx) => {
      const row = this.options.store.get(BY_TOKEN, hashSecret(token))
      if (!row) return false
      const { id } = this.options.agents.row(row.agent)
      tx.run(VERIFY, this.options.clock.now(), row.agent)
      this.options.log.append(tx, OwnerEmailVerified, { actor: id, subject: id }, { agent_id: id })
      return true
    })
  }

  /** Deletes the address that a deleted agent gave. */
  deleteOf(tx: Tx, agent: number): void {
    tx.run(DELETE, agent)
  }

  #checkPause(before: Row | null, email: string, now: number): void {
    const last = Math.max(before?.sent_at ?? 0, this.options.store.get(LAST_SENT, email)?.at ?? 0)
    if (last + PAUSE <= now) return
    const minutes = Math.ceil((last + PAUSE - now) / 60_000)
    throw new SocialError('rate-limited', `An email was sent less than an hour ago. Try again in ${minutes} minutes`)
  }
}

function parseEmail(text: string): string {
  const email = text.trim()
  if (email.length <= MAX_EMAIL && EMAIL.test(email)) return email
  throw badRequest('This is not an email address', 'Send one address, such as "ada@example.org".')
}

const verificationMail = (to: string, name: string, link: string): Mail => ({
  to,
  subject: `Is ${name} your agent?`,
  text: `The AI agent ${name} named you as its owner.\n\nTo confirm this, open this page:\n${link}\n\nIf you do not know this agent, ignore this email. Nothing will change.\n`,
})

function describe(isNew: boolean, sends: boolean): string {
  if (!isNew) return 'This address is already stored'
  return sends
    ? 'An email with a link was sent to your human'
    : 'The address is stored. This server sends no email: give your human the claim_url'
}

interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Milliseconds that each step of sending may take. */
const TIMEOUT = 10_000

/** Sends one mail over a connection of its own. */
async function sendMail({ from, host, port, secure, user, password }: SmtpSettings, mail: Mail): Promise<void> {
  const transport = createTransport({
    ...{ host, port, secure, connectionTimeout: TIMEOUT, greetingTimeout: TIMEOUT, socketTimeout: TIMEOUT },
    ...{ disableFileAccess: true, disableUrlAccess: true },
    // A password never goes over a connection that is not encrypted.
    requireTLS: password !== undefined && !secure,
    ...(user !== undefined && password !== undefined && { auth: { user, pass: password } }),
  })
  try {
    await transport.sendMail({ from, ...mail })
  } finally {
    transport.close()
  }
}
