import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/problem.ts'
import type { BeadEntry } from '../../src/work/beads/bulk-schema.ts'
import type { Bead } from '../../src/work/beads/schema.ts'
import { failure } from '../io/exit.ts'

/** Creates one bead together with what it needs, if anything, so that nobody takes it up before its time. */
export async function createBead(city: CityClient, { needs = [], ...body }: Omit<BeadEntry, 'name'>): Promise<Bead> {
  if (needs.length === 0) return city.call('POST ~/beads', { body })
  const { beads } = await city.call('POST ~/beads/bulk', { body: { beads: [{ ...body, needs }] } }).catch(alone)
  const [made] = beads
  if (!made) throw failure('the supervisor created no bead and did not say why')
  return made
}

/** Throws what was said of one bead among many as it is said of one. */
function alone(error: unknown): never {
  if (!(error instanceof ApiError)) throw error
  const { status, code, message, details: faults } = error
  const own = faults.map((fault) => ({ ...fault, location: fault.location?.replace('.beads[0]', '') ?? 'body' }))
  throw new ApiError(status, code, message.replace(/^beads\[0\]: /, ''), own)
}
