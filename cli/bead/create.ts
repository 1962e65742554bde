import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import type { Bead, BeadChangeEntry, BeadEntry } from '../../src/work/beads/index.ts'
import { failure } from '../io/exit.ts'

/** Creates one bead together with its dependencies, so that no one claims it before they are recorded. */
export async function createBead(city: CityClient, entry: Omit<BeadEntry, 'name'>): Promise<Bead> {
  const { needs = [], ephemeral, ...body } = entry
  if (needs.length === 0 && ephemeral === undefined) return city.call('POST ~/beads', { body })
  const created = city.call('POST ~/beads/bulk', { body: { beads: [{ ...entry, needs }] } })
  const [bead] = (await created.catch(rethrowForOne('beads'))).beads
  if (!bead) throw failure('the supervisor created no bead and did not say why')
  return bead
}

/** Changes one bead in a way that only many have. */
export async function changeBead(city: CityClient, update: BeadChangeEntry, { force }: { force?: true } = {}) {
  const query = { ...(force && { force }) }
  await city.call('PATCH ~/beads/bulk', { query, body: { updates: [update] } }).catch(rethrowForOne('updates'))
}

/** Rethrows an error about the first of many beads as one about the only bead. */
const rethrowForOne =
  (list: 'beads' | 'updates') =>
  (error: unknown): never => {
    if (!(error instanceof ApiError)) throw error
    const { status, code, message, details } = error
    const located = details.map((each) => ({
      ...each,
      location: each.location?.replace(`.${list}[0]`, '') ?? 'body',
    }))
    throw new ApiError(status, code, message.replace(`${list}[0]: `, ''), located)
  }
