import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import type { BeadEntry } from '../../src/work/beads/bulk-schema.ts'
import type { Bead } from '../../src/work/beads/schema.ts'
import { failure } from '../io/exit.ts'

/** Creates one bead together with its dependencies, so that nobody claims it before they are recorded. */
export async function createBead(city: CityClient, { needs = [], ...body }: Omit<BeadEntry, 'name'>): Promise<Bead> {
  if (needs.length === 0) return city.call('POST ~/beads', { body })
  const created = city.call('POST ~/beads/bulk', { body: { beads: [{ ...body, needs }] } })
  const [bead] = (await created.catch(rethrowForOne)).beads
  if (!bead) throw failure('the supervisor created no bead and did not say why')
  return bead
}

/** Rethrows an error about the first of many beads as one about the only bead. */
function rethrowForOne(error: unknown): never {
  if (!(error instanceof ApiError)) throw error
  const { status, code, message, details } = error
  const located = details.map((each) => ({ ...each, location: each.location?.replace('.beads[0]', '') ?? 'body' }))
  throw new ApiError(status, code, message.replace(/^beads\[0\]: /, ''), located)
}
