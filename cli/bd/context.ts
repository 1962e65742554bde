import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import type { Bead, BeadDependencies, BeadFilter } from '../../src/work/beads/index.ts'
import type { CommandContext } from '../context/context.ts'
import { readItems } from '../context/pages.ts'
import { errorSentence, exitStatus } from '../io/describe-error.ts'
import { Exit } from '../io/exit.ts'
import type { Io } from '../io/io.ts'
import { type CountedIssue, toBare } from './issue.ts'
import { Printer } from './print.ts'

const PAGE_SIZE = 1000
/** Maximum beads of one request for records. */
const MAX_RECORDS = 200

/** The options of `bd` itself. */
export interface BdOptions {
  json?: true
  rig?: string
  directory?: string
  dir?: string
  db?: string
  readonly?: true
}

/** The context of a `bd` command: the city, the rig and the printer. */
export class BdContext {
  #city: Promise<CityClient> | undefined

  constructor(
    readonly context: CommandContext,
    private readonly program: Command,
    private readonly io: Io = context.io,
  ) {}

  get print(): Printer {
    return this.printer(this.#options.json === true)
  }

  printer(json: boolean): Printer {
    return new Printer(this.io, json)
  }

  get #options(): BdOptions {
    return this.program.opts<BdOptions>()
  }

  /** The same context, writing elsewhere. */
  writingTo(io: Io): BdContext {
    return new BdContext(this.context, this.program, io)
  }

  /** The same context for a short look that starts no supervisor. */
  limited(ms: number): BdContext {
    const signal = AbortSignal.any([this.io.signal, AbortSignal.timeout(ms)])
    const context = this.context.printingTo({ ...this.io, signal }).withoutStarting()
    return new BdContext(context, this.program)
  }

  city(): Promise<CityClient> {
    this.#city ??= this.context.city()
    return this.#city
  }

  /** The chosen rig, if there is one: by name, or as the one that the chosen folder or database is in. */
  async rig(): Promise<string | undefined> {
    const { rig, dir, directory = dir, db } = this.#options
    const city = await this.city()
    const path = directory === undefined ? db : '.'
    if (rig !== undefined || path === undefined) return this.context.rig(city, rig)
    return this.context.rigAt(city, path)
  }

  /** The caller under its name as an assignee; undefined for a person. */
  get caller(): string | undefined {
    const { BEADS_ACTOR, GC_SESSION_ID, GC_AGENT } = this.context.io.env
    return GC_SESSION_ID ?? BEADS_ACTOR ?? GC_AGENT
  }

  /** Wraps a command so that its errors are printed as `bd` prints them. */
  run<Args extends unknown[]>(command: (...args: Args) => Promise<void>): (...args: Args) => Promise<void> {
    return async (...args) => {
      try {
        await command(...args)
      } catch (error) {
        if (error instanceof Exit && !error.message) throw error
        throw this.print.failure(errorSentence(error, this.context.io.env), exitStatus(error))
      }
    }
  }

  /** The bead with an id, if it exists. */
  async find(id: string): Promise<Bead | undefined> {
    const city = await this.city()
    try {
      return await city.call('GET ~/bead/{id}', { params: { id } })
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined
      throw error
    }
  }

  /** The bead with an id; throws when there is none. */
  async get(id: string): Promise<Bead> {
    return (await this.city()).call('GET ~/bead/{id}', { params: { id } })
  }

  /** The dependencies and dependents of a bead. */
  async dependencies(id: string): Promise<BeadDependencies> {
    const city = await this.city()
    return city.call('GET ~/bead/{id}/dependencies', { params: { id } })
  }

  /** Beads as `bd` writes them, in this order, without those that are gone. */
  async issues(ids: readonly string[]): Promise<CountedIssue[]> {
    const issues: CountedIssue[] = []
    for (let at = 0; at < ids.length; at += MAX_RECORDS) {
      issues.push(...(await this.#records(ids.slice(at, at + MAX_RECORDS))))
    }
    return issues
  }

  /** Those of one request, or of smaller ones when that would be too large. */
  async #records(ids: readonly string[]): Promise<CountedIssue[]> {
    const city = await this.city()
    try {
      return (await city.call('GET ~/beads/records', { query: { ids: ids.join() } })).items
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'response-too-large' || ids.length === 1) throw error
      const half = Math.ceil(ids.length / 2)
      return [...(await this.#records(ids.slice(0, half))), ...(await this.#records(ids.slice(half)))]
    }
  }

  /** Prints beads as a list, each with its dependencies and counts. */
  async printList(beads: readonly Bead[]): Promise<void> {
    this.print.value(await this.issues(beads.map(({ id }) => id)))
  }

  /** Prints one bead, without its dependencies and counts. */
  async printIssue({ id }: Bead): Promise<void> {
    for (const issue of await this.issues([id])) this.print.value(toBare(issue))
  }

  /** Ends a call that failed for some beads, whose errors are already printed. */
  partialFailure(): Exit {
    return new Exit(1)
  }

  /** All beads that match. */
  async list(filter: BeadFilter): Promise<Bead[]> {
    const city = await this.city()
    return readItems((cursor) => city.call('GET ~/beads', { query: { ...filter, limit: PAGE_SIZE, cursor } }))
  }

  /** Applies `action` to each bead: prints the errors of those that fail, and returns the others. */
  async forEach(ids: readonly string[], action: (id: string) => Promise<Bead>): Promise<Bead[]> {
    const done: Bead[] = []
    const errors: string[] = []
    for (const id of ids) {
      try {
        done.push(await action(id))
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        errors.push(`${id}: ${error.sentence}`)
      }
    }
    if (errors.length === 0) return done
    if (done.length === 0) throw this.print.failure(errors.join('\n'))
    for (const each of errors) this.print.error(each)
    return done
  }
}
