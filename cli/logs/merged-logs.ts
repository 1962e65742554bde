import { pause } from '../io/io.ts'
import { type LogLine, LogTail } from './log-tail.ts'
import { findLogs, type LogOwner } from './sources.ts'

const byTime = (lines: LogLine[]): LogLine[] => lines.sort((a, b) => a.at - b.at)

/** The logs of a home as one, by time, with those that come to be later. */
export class Logs {
  readonly #tails = new Map<string, LogTail>()

  constructor(
    private readonly home: string,
    private readonly owners: readonly LogOwner[],
  ) {}

  /** Every line that is kept, or those in the last so many bytes of each log; what `added` answers comes after these. */
  async kept(bytes?: number): Promise<LogLine[]> {
    await this.#find()
    return byTime([...this.#tails.values()].flatMap((tail) => tail.kept(bytes)))
  }

  /** The whole lines that were added since the last call. */
  async added(): Promise<LogLine[]> {
    await this.#find()
    return byTime([...this.#tails.values()].flatMap((tail) => tail.added()))
  }

  async #find(): Promise<void> {
    for (const source of await findLogs(this.home, this.owners)) {
      if (!this.#tails.has(source.path)) this.#tails.set(source.path, new LogTail(source))
    }
  }
}

const STEP_MS = 250
/** Bytes of the log that the dashboard shows first. */
const BEGIN_BYTES = 256 * 1024

/** The last lines of the supervisor's log, then those that are added, until the signal aborts. */
export async function* followSupervisorLog(home: string, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  const logs = new Logs(home, ['supervisor'])
  const texts = (lines: LogLine[]) => lines.map(({ text }) => text)
  yield texts(await logs.kept(BEGIN_BYTES))
  while (!signal.aborted) {
    await pause(STEP_MS, signal)
    const added = await logs.added()
    if (added.length > 0) yield texts(added)
  }
}
