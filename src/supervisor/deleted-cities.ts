import type { Clock } from '../core/clock.ts'
import type { Deadline, Deadlines } from '../core/deadlines.ts'
import { errorMessage } from '../core/errors.ts'
import type { CityInfo } from './schema.ts'

const FIRST_MS = 5 * 60_000
const SWEEP_MS = 24 * 3_600_000

interface DeletedCitiesOptions {
  /** `$GC_HOME`. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cities: { list(): Pick<CityInfo, 'path'>[] }
  readonly clock: Clock
  readonly deadlines: Deadlines
  report(message: string): void
}

/** Removes what gc kept in its own folder for cities that were deleted, once a day. */
export class DeletedCities {
  #next: Deadline | undefined
  #running: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(private readonly options: DeletedCitiesOptions) {}

  start(): void {
    this.#schedule(FIRST_MS)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#next?.cancel()
    await this.#running
  }

  #schedule(delay: number): void {
    this.#next = this.options.deadlines.after(delay, () => {
      this.#running = this.sweep().catch((error) => this.options.report(errorMessage(error)))
      this.#schedule(SWEEP_MS)
    })
  }

  async sweep(): Promise<void> {
    const { deadlines, env, cities } = this.options
    const { removeGoneYards } = await import('../changes/landing/gone-yards.ts')
    const { GitRunner } = await import('../config/git/git-runner.ts')
    await removeGoneYards({
      ...this.options,
      git: new GitRunner({ deadlines, env }),
      isRegistered: (folder) => cities.list().some(({ path }) => path === folder),
      isStopped: () => this.#isStopped,
    })
  }
}
