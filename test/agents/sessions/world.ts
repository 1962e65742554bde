import { existsSync, readFileSync } from 'node:fs'
import type { City } from '../../../src/city/city.ts'
import type { RecordedEvent } from '../../../src/core/events/event.ts'
import { hashToken } from '../../../src/core/text/credentials.ts'
import type { SessionCaller } from '../../../src/http/caller.ts'
import type { BeadDraft } from '../../../src/work/beads/draft.ts'
import type { HostWorld } from '../../host/world.ts'
import { testTown } from '../../support/city.ts'
import type { TempFolder } from '../../support/folder.ts'
import { until } from '../../support/until.ts'

/** An agent that prints who it is, writes its token to a file, and then runs a script. */
export const agent = (name: string, script: string, more = ''): string => `
[[agent]]
name = "${name}"
start_command = '''echo "$GC_SESSION_ID" "$GC_AGENT"; printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"; ${script}'''
${more}
`

/** A script that runs until it is ended. */
export const WAITS = 'exec sleep 600'

/** A city called mill whose agents run in a real host. */
export class CityWorld implements AsyncDisposable {
  readonly #town = testTown()
  readonly folder: TempFolder = this.#town.folder
  readonly hosts: HostWorld = this.#town.hosts
  /** Errors that the city reported instead of throwing. */
  readonly reports: readonly string[] = this.#town.reports
  #city: City | undefined
  #lastSeen = 0

  static async open(agents: string): Promise<CityWorld> {
    const world = new CityWorld()
    world.declare(agents)
    await world.up()
    return world
  }

  declare(agents: string): void {
    this.#town.declare(agents)
  }

  get city(): City {
    if (!this.#city) throw new Error('the city is down')
    return this.#city
  }

  /** Opens the city, as a supervisor does when it starts. */
  async up(): Promise<void> {
    this.#city = await this.#town.open()
  }

  /** Closes the city and leaves its agents to the host, as a supervisor does that is ended. */
  async down(): Promise<void> {
    await this.city.close({ endSessions: false })
    this.city.host.close()
    this.#city = undefined
  }

  add(draft: BeadDraft): Promise<{ id: string }> {
    return this.city.store.write((tx) => this.city.beadRepository.add(tx, draft))
  }

  /** A bead that waits for an agent. */
  work(title: string, to: string): Promise<{ id: string }> {
    return this.add({ title, metadata: { 'gc.routed_to': to } })
  }

  /** The next event of a type that matches, counted from the last one this returned. */
  async event(
    type: string,
    matches: (recorded: RecordedEvent) => boolean = () => true,
    ms = 20_000,
  ): Promise<RecordedEvent> {
    const { log } = this.city
    const { promise, resolve, reject } = Promise.withResolvers<RecordedEvent>()
    const check = () => {
      const match = log.after(this.#lastSeen, 100_000).find((event) => event.type === type && matches(event))
      if (match) resolve(match)
    }
    const unsubscribe = log.subscribe(check)
    const timeout = AbortSignal.timeout(ms)
    const onTimeout = () => reject(new Error(`no ${type} in ${ms} ms; ${this.recorded().join(', ')}`))
    timeout.addEventListener('abort', onTimeout)
    check()
    try {
      const event = await promise
      this.#lastSeen = event.seq
      return event
    } finally {
      unsubscribe()
      timeout.removeEventListener('abort', onTimeout)
    }
  }

  /** The types of all events so far, except those of beads, of programs, of the city, and of what waits for a person. */
  recorded(): string[] {
    const all = this.city.log.after(0, 100_000)
    return all
      .filter(({ type }) => !/^(attention|bead|worker|controller)\./.test(type))
      .map(({ type, subject }) => `${type} ${subject ?? ''}`.trim())
  }

  /** The keys of what runs in the host. */
  async running(): Promise<string[]> {
    return (await this.city.host.list()).flatMap(({ key, state }) => (state === 'exited' ? [] : [key]))
  }

  /** The token of a running session. */
  async token(id: string): Promise<string> {
    const file = `${this.hosts.home}/token.${id}`
    await until(() => existsSync(file) && readFileSync(file, 'utf8').length === 68)
    return readFileSync(file, 'utf8')
  }

  async caller(id: string): Promise<SessionCaller> {
    const caller = this.city.credentials.caller(hashToken(await this.token(id)))
    if (!caller || caller === 'ended') throw new Error(`the token of ${id} is ${caller ?? 'unknown'}`)
    return caller
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#town[Symbol.asyncDispose]()
  }
}
