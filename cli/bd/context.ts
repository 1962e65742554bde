import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import type { Bead, BeadDependencies, BeadFilter } from '../../src/work/beads/schema.ts'
import type { CommandContext } from '../context/context.ts'
import { readItems } from '../context/pages.ts'
import { errorSentence, exitStatus } from '../io/describe-error.ts'
import { Exit } from '../io/exit.ts'
import type { Io } from '../io/io.ts'
import { countDependents, toListed } from './issue.ts'
import { Printer } from './print.ts'

const PAGE_SIZE = 1000
const MAX_SINGLE_COUNTS = 20
/** The maximum number of beads in one request for counts. */
const MAX_COUNTED = 200

/** The context of a `bd` command: the city, the rig and the printer. */
export class BdContext {
  #city: Promise<CityClient> | undefined

  constructor(
    readonly context: CommandContext,
    private readonly program: Command,
    private readonly io: Io = context.io,
  ) {}

  get print(): Printer {
    return new Printer(this.io, this.program.opts<{ json?: true }>().json === true)
  }

  /** The same context, writing elsewhere. */
  writingTo(io: Io): BdContext {
    return new BdContext(this.context, this.program, io)
  }

  city(): Promise<CityClient> {
    this.#city ??= this.context.city()
    return this.#city
  }

  /** The chosen rig, if there is one. */
  async rig(): Promise<string | undefined> {
    return this.context.rig(await this.city(), this.program.opts<{ rig?: string }>().rig)
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

  /** The number of dependents of each bead. A few are requested one by one; for many all open beads are read once. */
  async dependentCounts(beads: readonly Bead[]): Promise<Map<string, number>> {
    if (beads.length > MAX_SINGLE_COUNTS) return countDependents(await this.list({}))
    const count = async ({ id }: Bead) => [id, (await this.dependencies(id)).dependents.length] as const
    return new Map(await Promise.all(beads.map(count)))
  }

  /** The number of comments on each bead. */
  async commentCounts(beads: readonly Bead[]): Promise<Record<string, number>> {
    const city = await this.city()
    let all: Record<string, number> = {}
    for (let at = 0; at < beads.length; at += MAX_COUNTED) {
      const ids = beads.slice(at, at + MAX_COUNTED).map(({ id }) => id)
      const { counts } = await city.call('GET ~/beads/comments/count', { query: { ids: ids.join() } })
      all = { ...all, ...counts }
    }
    return all
  }

  /** Prints beads as a list, each with its dependencies and counts. */
  async printList(beads: readonly Bead[]): Promise<void> {
    const dependents = await this.dependentCounts(beads)
    const comments = await this.commentCounts(beads)
    this.print.value(beads.map((bead) => toListed(bead, dependents.get(bead.id) ?? 0, comments[bead.id] ?? 0)))
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
