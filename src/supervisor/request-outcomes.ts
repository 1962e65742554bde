import type { CityCreateSucceeded } from '../city/events/supervisor-events.ts'
import type { EventDefinition } from '../core/events/event.ts'
import type { AcceptedRequest } from '../core/requests/requests.ts'
import type { CitiesDependencies } from './cities-dependencies.ts'

/** Records the one event that ends an accepted request about a city. */
export class RequestOutcomes {
  constructor(private readonly dependencies: Pick<CitiesDependencies, 'store' | 'requests'>) {}

  async succeed(request: AcceptedRequest, def: EventDefinition<typeof CityCreateSucceeded.payload>): Promise<void> {
    const { store, requests } = this.dependencies
    const payload = { request_id: request.id, name: request.subject, path: request.detail.path ?? '' }
    await store.write((tx) => requests.succeed(tx, request.id, def, { subject: request.subject }, payload))
  }

  async fail(request: AcceptedRequest, code: string, message: string): Promise<void> {
    const { store, requests } = this.dependencies
    await store.write((tx) => requests.fail(tx, request, code, message, request.subject))
  }
}
