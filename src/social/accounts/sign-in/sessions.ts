import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../../core/clock.ts'
import { AppError } from '../../../core/errors.ts'
import { command, query, type Store } from '../../../core/store/index.ts'
import { hashSecret } from '../../shared/index.ts'
import type { Person } from './person.ts'

/** A person who is signed in. */
export interface SignedIn {
  readonly person: Person
  /** Proves that a form was sent from one of this person's own pages. */
  readonly formToken: string
}

interface SessionRow {
  provider: string
  subject: string
  name: string
}

const SESSION_DURATION = 8 * 3_600_000
const COOKIE_VALUE = /^[A-Za-z0-9_-]{43}$/

/** A cookie value that cannot be guessed. */
export const randomCookie = (): string => randomBytes(32).toString('base64url')

const FIND = query<SessionRow, [string, number]>(
  'SELECT provider, subject, name FROM guests WHERE hash = ? AND expires_at > ?',
)

const INSERT = command<[string, string, string, string, number]>(
  'INSERT INTO guests (hash, provider, subject, name, expires_at) VALUES (?, ?, ?, ?, ?)',
)

const DELETE = command<[string]>('DELETE FROM guests WHERE hash = ?')

const DELETE_EXPIRED = command<[number]>(
  'DELETE FROM guests WHERE hash IN (SELECT hash FROM guests WHERE expires_at <= ? LIMIT 100)',
)

/** Sessions of signed-in people. The browser keeps a random cookie, the database its hash. */
export class SignInSessions {
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    /** The keys of the providers in use; sessions of any other have ended. */
    private readonly providers: ReadonlySet<string>,
  ) {}

  /** Signs a person in, in place of the session of `previous`; returns the cookie for their browser. */
  async create({ provider, subject, name = '' }: Person, previous: string | undefined): Promise<string> {
    const cookie = randomCookie()
    await this.store.write((tx) => {
      const now = this.clock.now()
      tx.run(DELETE_EXPIRED, now)
      if (previous !== undefined) tx.run(DELETE, hashSecret(previous))
      tx.run(INSERT, hashSecret(cookie), provider, subject, name, now + SESSION_DURATION)
    })
    return cookie
  }

  find(cookie: string | undefined): SignedIn | undefined {
    if (cookie === undefined || !COOKIE_VALUE.test(cookie)) return undefined
    const row = this.store.get(FIND, hashSecret(cookie), this.clock.now())
    if (!row || !this.providers.has(row.provider)) return undefined
    return { person: row, formToken: hashSecret(`seal ${cookie}`) }
  }

  async delete(cookie: string): Promise<void> {
    await this.store.write((tx) => void tx.run(DELETE, hashSecret(cookie)))
  }
}

/** Throws unless a form carries the token of the person who sends it. */
export function checkFormToken({ formToken }: SignedIn, form: URLSearchParams): void {
  const sent = Buffer.from(hashSecret(form.get('form_token') ?? ''))
  if (!timingSafeEqual(sent, Buffer.from(hashSecret(formToken)))) {
    throw new AppError('forbidden', 'this form is out of date; open the page again and send it from there')
  }
}
