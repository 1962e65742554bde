import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import type { Bead, BeadDependencies, BeadFilter } from '../../src/work/beads/schema.ts'
import type { CommandContext } from '../context/context.ts'
import { readItems } from '../context/pages.ts'
import { Exit } from '../io/exit.ts'
import { errorSentence } from '../io/run.ts'
import { countDependents, toListed } from './issue.ts'
import { Printer } from './print.ts'

const PAGE_SIZE = 1000
const MAX_SINGLE_COUNTS = 20
/** How many beads one request asks about. */
const MAX_COUNTED = 200

/** What every `bd` command works at: the city, the rig, the way of printing. */
export class BdContext {
  #city: Promise<CityClient> | undefined

  constructor(
    readonly context: CommandContext,
    private readonly program: Command,
  ) {}

  get print(): Printer {
    return new Printer(this.context.io, this.program.opts<{ json?: true }>().json === true)
  }

  city(): Promise<CityClient> {
    this.#city ??= this.context.city()
    return this.#city
  }

  /** The rig that is meant, if one is. */
  async rig(): Promise<string | undefined> {
    return this.context.rig(await this.city(), this.program.opts<{ rig?: string }>().rig)
  }

  /** Runs a command; whatever goes wrong ends in the words and the form that `bd` uses. */
  run<Args extends unknown[]>(command: (...args: Args) => Promise<void>): (...args: Args) => Promise<void> {
    return async (...args) => {
      try {
        await command(...args)
      } catch (error) {
        if (error instanceof Exit && !error.message) throw error
        throw this.print.failure(errorSentence(error), error instanceof Exit ? error.status : 1)
      }
    }
  }

  /** The bead of that id, if there is one. */
  async find(id: string): Promise<Bead | undefined> {
    const city = await this.city()
    try {
      return await city.call('GET ~/bead/{id}', { params: { id } })
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined
      throw error
    }
  }

  /** What a bead depends on and what depends on it. */
  async dependencies(id: string): Promise<BeadDependencies> {
    const city = await this.city()
    return city.call('GET ~/bead/{id}/dependencies', { params: { id } })
  }

  /** How many beads depend on each of these. A few are asked one by one; for many all open beads are read once. */
  async dependentCounts(beads: readonly Bead[]): Promise<Map<string, number>> {
    if (beads.length > MAX_SINGLE_COUNTS) return countDependents(await this.list({}))
    const count = async ({ id }: Bead) => [id, (await this.dependencies(id)).dependents.length] as const
    return new Map(await Promise.all(beads.map(count)))
  }

  /** How many comments there are on each of these beads. */
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

  /** Prints beads as a list, each with its edges and how many of everything there are. */
  async printList(beads: readonly Bead[]): Promise<void> {
    const dependents = await this.dependentCounts(beads)
    const comments = await this.commentCounts(beads)
    this.print.value(beads.map((bead) => toListed(bead, dependents.get(bead.id) ?? 0, comments[bead.id] ?? 0)))
  }

  /** The quiet end of a call that did only a part: what went wrong is said already. */
  partialFailure(): Exit {
    return new Exit(1)
  }

  /** All beads that match. */
  async list(filter: BeadFilter): Promise<Bead[]> {
    const city = await this.city()
    return readItems((cursor) => city.call('GET ~/beads', { query: { ...filter, limit: PAGE_SIZE, cursor } }))
  }

  /** Does the same to several beads: what goes wrong with one is said and the others are done. */
  async each(ids: readonly string[], act: (id: string) => Promise<Bead>): Promise<Bead[]> {
    const done: Bead[] = []
    const faults: string[] = []
    for (const id of ids) {
      try {
        done.push(await act(id))
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        faults.push(`${id}: ${error.sentence}`)
      }
    }
    const [fault] = faults
    if (fault === undefined) return done
    if (done.length === 0) throw this.print.failure(faults.join('\n'))
    for (const each of faults) this.print.error(each)
    return done
  }
}
