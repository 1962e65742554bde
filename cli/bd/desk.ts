import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ClientProblem } from '../../src/client/problem.ts'
import type { Bead, BeadDependencies } from '../../src/work/beads/schema.ts'
import type { Here } from '../context/context.ts'
import { Exit } from '../io/exit.ts'
import { sentenceOf } from '../io/run.ts'
import { dependents, toListed } from './issue.ts'
import { Printer } from './print.ts'

const PAGE = 1000
const FEW = 20
/** How many beads one request asks about. */
const MOST_COUNTED = 200

/** What every `bd` command works at: the city, the rig, the way of printing. */
export class Desk {
  #city: Promise<CityClient> | undefined

  constructor(
    readonly here: Here,
    private readonly program: Command,
  ) {}

  get print(): Printer {
    return new Printer(this.here.io, this.program.opts<{ json?: true }>().json === true)
  }

  city(): Promise<CityClient> {
    this.#city ??= this.here.city()
    return this.#city
  }

  /** The rig that is meant, if one is. */
  async rig(): Promise<string | undefined> {
    return this.here.rig(await this.city(), this.program.opts<{ rig?: string }>().rig)
  }

  /** Runs a command; whatever goes wrong ends in the words and the form that `bd` uses. */
  run<Args extends unknown[]>(command: (...args: Args) => Promise<void>): (...args: Args) => Promise<void> {
    return async (...args) => {
      try {
        await command(...args)
      } catch (error) {
        if (error instanceof Exit && !error.message) throw error
        throw this.print.failed(sentenceOf(error), error instanceof Exit ? error.status : 1)
      }
    }
  }

  /** The bead of that id, if there is one. */
  async find(id: string): Promise<Bead | undefined> {
    const city = await this.city()
    try {
      return await city.call('GET ~/bead/{id}', { params: { id } })
    } catch (error) {
      if (error instanceof ClientProblem && error.status === 404) return undefined
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
    if (beads.length > FEW) return dependents(await this.list({}))
    const count = async ({ id }: Bead) => [id, (await this.dependencies(id)).dependents.length] as const
    return new Map(await Promise.all(beads.map(count)))
  }

  /** How many comments there are on each of these beads. */
  async commentCounts(beads: readonly Bead[]): Promise<Record<string, number>> {
    const city = await this.city()
    let all: Record<string, number> = {}
    for (let at = 0; at < beads.length; at += MOST_COUNTED) {
      const ids = beads.slice(at, at + MOST_COUNTED).map(({ id }) => id)
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
  partly(): Exit {
    return new Exit(1)
  }

  /** All beads that match, page by page, until there are `most`. */
  async list(filter: Record<string, unknown>, most = Number.POSITIVE_INFINITY): Promise<Bead[]> {
    const city = await this.city()
    const found: Bead[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await city.call('GET ~/beads', { query: { ...filter, limit: PAGE, cursor } })
      found.push(...page.items)
      cursor = page.next_cursor
      if (!cursor || found.length >= most) return found
    }
  }

  /** Does the same to several beads: what goes wrong with one is said and the others are done. */
  async each(ids: readonly string[], act: (id: string) => Promise<Bead>): Promise<Bead[]> {
    const done: Bead[] = []
    const faults: string[] = []
    for (const id of ids) {
      try {
        done.push(await act(id))
      } catch (error) {
        if (!(error instanceof ClientProblem)) throw error
        faults.push(`${id}: ${error.sentence}`)
      }
    }
    const [fault] = faults
    if (fault === undefined) return done
    if (done.length === 0) throw this.print.failed(faults.join('\n'))
    for (const each of faults) this.print.complain(each)
    return done
  }
}
