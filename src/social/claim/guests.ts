import type { Statement } from 'bun:sqlite'
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Store } from '../../core/store.ts'
import type { Person } from '../claims/claims.ts'
import { hashOf } from '../text.ts'

/** A person who is signed in. */
export interface Guest {
  readonly person: Person
  /** What the forms of this visitor carry, and nobody else can know. */
  readonly seal: string
}

interface GuestRow {
  provider: string
  subject: string
  name: string
}

/** How long one stays signed in. */
const TERM = 8 * 3_600_000
const SHAPE = /^[A-Za-z0-9_-]{43}$/

/** A word that cannot be guessed. */
export const freshWord = (): string => randomBytes(32).toString('base64url')

/** Who is signed in. A browser keeps a word, we keep its fingerprint. */
export class Guests {
  readonly #put: Statement<unknown, [string, string, string, string, number]>
  readonly #get: Statement<GuestRow, [string, number]>
  readonly #drop: Statement<unknown, [string]>
  readonly #sweep: Statement<unknown, [number]>

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    /** The providers that vouch for people now; who came by another is signed out. */
    private readonly providers: ReadonlySet<string>,
  ) {
    this.#put = store.prepare('INSERT INTO guests (hash, provider, subject, name, expires_at) VALUES (?, ?, ?, ?, ?)')
    this.#get = store.prepare('SELECT provider, subject, name FROM guests WHERE hash = ? AND expires_at > ?')
    this.#drop = store.prepare('DELETE FROM guests WHERE hash = ?')
    this.#sweep = store.prepare(
      'DELETE FROM guests WHERE hash IN (SELECT hash FROM guests WHERE expires_at <= ? LIMIT 100)',
    )
  }

  /** Signs a person in; returns the word for their browser. What it had before is void. */
  async enter({ provider, subject, name = '' }: Person, before: string | undefined): Promise<string> {
    const word = freshWord()
    await this.store.write(() => {
      const now = this.clock.now()
      this.#sweep.run(now)
      if (before !== undefined) this.#drop.run(hashOf(before))
      this.#put.run(hashOf(word), provider, subject, name, now + TERM)
    })
    return word
  }

  /** Who keeps this word; undefined when nobody does any more. */
  known(word: string | undefined): Guest | undefined {
    if (word === undefined || !SHAPE.test(word)) return undefined
    const row = this.#get.get(hashOf(word), this.clock.now())
    if (!row || !this.providers.has(row.provider)) return undefined
    return { person: row, seal: hashOf(`seal ${word}`) }
  }

  async leave(word: string): Promise<void> {
    await this.store.write(() => void this.#drop.run(hashOf(word)))
  }
}

/** Throws unless a form carries the seal of the visitor who sends it. */
export function checkSeal({ seal }: Guest, form: URLSearchParams): void {
  const shown = Buffer.from(hashOf(form.get('seal') ?? ''))
  if (!timingSafeEqual(shown, Buffer.from(hashOf(seal)))) {
    throw new AppError('forbidden', 'this form is out of date; open the page again and send it from there')
  }
}
