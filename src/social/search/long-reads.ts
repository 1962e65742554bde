import { DatabaseWorker } from '../../core/store/index.ts'
import { SocialError } from '../shared/index.ts'

/** Maximum number of reads wait. */
const MAX_WAITING = 256

/**
 * Reads of full-text indexes that may be long: in a thread of its own, one after the other, so that no one else waits.
 */
export class LongReads {
  readonly #worker = new DatabaseWorker()
  #waiting = 0

  constructor(private readonly path: string) {}

  /** The column `n` of a query's rows. */
  async numbers(sql: string, params: (string | number)[]): Promise<number[]> {
    if (this.#waiting >= MAX_WAITING) throw tooMany()
    this.#waiting++
    try {
      const rows = await this.#worker.rows<{ n: number }>(this.path, sql, params)
      return rows.map(({ n }) => n)
    } finally {
      this.#waiting--
    }
  }

  /** Waits for the reads that were accepted. */
  stop(): Promise<void> {
    return this.#worker.end()
  }
}

const tooMany = (): SocialError =>
  new SocialError('rate-limited', 'Too many searches wait already', {
    hint: 'Try again in five seconds.',
    headers: { 'retry-after': '5' },
    fields: { retry_after_seconds: 5 },
  })
