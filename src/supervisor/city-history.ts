import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { eq, isNotNull } from 'drizzle-orm'
import type { City } from '../city/city.ts'
import type { CityDependencies } from '../city/dependencies.ts'
import type { Rest } from '../city/rest.ts'
import { type Clock, toTimestamp } from '../core/clock.ts'
import { AppError, errorMessage } from '../core/errors.ts'
import type { Store, Tx } from '../core/store/index.ts'
import { cityHistory } from './table.ts'

interface CityHistoryOptions {
  store: Store
  /** The version and commit of this program. */
  build: string
  clock: Clock
  /** Stops a city that cannot continue, and lists it with the reason. */
  stop(name: string, error: string): void
  report(message: string): void
}

type Hooks = Required<Pick<CityDependencies, 'onStoreFailure' | 'onBackup'>>

/** Registry data of each city: that it had a database, and its last backup. */
export class CityHistory {
  constructor(private readonly options: CityHistoryOptions) {}

  /** Opens a city, unless it lost what it had; stops it when that happens later. */
  async open({ name, path }: { name: string; path: string }, open: (hooks: Hooks) => Promise<City>): Promise<City> {
    this.#requireDatabase(name, path)
    const city = await open({
      onStoreFailure: ({ reason, isDisplaced }) => {
        if (isDisplaced) this.options.stop(name, `${reason}; ${this.#lastBackup(name)}`)
      },
      onBackup: (file) => this.#record(name, { backedUpAt: this.options.clock.now(), backupFile: file ?? null }),
    })
    this.#record(name, { openedAt: this.options.clock.now(), rest: null })
    return city
  }

  /** The cities that were closed with nothing to do, by this build. */
  rests(): Map<string, Rest> {
    const rows = this.options.store.read((orm) =>
      orm.select().from(cityHistory).where(isNotNull(cityHistory.rest)).all(),
    )
    return new Map(rows.flatMap(({ city, rest }) => (rest?.build === this.options.build ? [[city, rest.rest]] : [])))
  }

  /** Keeps what cities rest with that were closed. */
  async keepRests(rests: readonly { name: string; rest: Rest }[]): Promise<void> {
    const { store, build } = this.options
    await store.write((tx) => {
      for (const { name, rest } of rests) {
        tx.orm.update(cityHistory).set({ rest: { build, rest } }).where(eq(cityHistory.city, name)).run()
      }
    })
  }

  /** Forgets a city that is removed from the registry, as part of that write. */
  forget(tx: Tx, name: string): void {
    tx.orm.delete(cityHistory).where(eq(cityHistory.city, name)).run()
  }

  #requireDatabase(name: string, path: string): void {
    const database = join(path, '.gc', 'city.db')
    if (existsSync(database) || this.#row(name)?.openedAt == null) return
    throw new AppError(
      'store-unavailable',
      `${database} is gone: it was moved or deleted since the city last ran; ${this.#lastBackup(name)}; ` +
        `put it back and \`gc register ${path}\`, or start over: \`gc unregister ${name}\`, then register the folder`,
    )
  }

  #lastBackup(name: string): string {
    const row = this.#row(name)
    if (row?.backedUpAt == null) return 'no backup of it was made'
    const place = row.backupFile === null ? '' : ` in ${row.backupFile}`
    return `its last backup is of ${toTimestamp(row.backedUpAt)}${place}`
  }

  #row(name: string) {
    return this.options.store.read((orm) => orm.select().from(cityHistory).where(eq(cityHistory.city, name)).get())
  }

  #record(name: string, set: Partial<typeof cityHistory.$inferInsert>): void {
    const { store, report } = this.options
    store
      .write((tx) => {
        const row = tx.orm.insert(cityHistory).values({ city: name, ...set })
        row.onConflictDoUpdate({ target: cityHistory.city, set }).run()
      })
      .catch((error) => report(`the history of city ${name} was not recorded: ${errorMessage(error)}`))
  }
}
