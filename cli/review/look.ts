import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'

/** Records that a person looks at a change; that sessions do is not recorded. */
export async function recordLook(city: CityClient, id: string): Promise<void> {
  await city.call('POST ~/change/{id}/look', { params: { id } }).catch((error) => {
    if (!(error instanceof ApiError) || error.status !== 403) throw error
  })
}
