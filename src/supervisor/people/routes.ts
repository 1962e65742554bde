import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import type { People } from './people.ts'
import { PersonAdd, PersonAdded, PersonList } from './schema.ts'

/** The operations on people with tokens of their own. */
export const peopleRoutes = (people: People) => [
  route(
    'GET /v0/people',
    {
      id: 'list-people',
      summary: 'List people with a token',
      needs: 'operator',
      ok: PersonList,
      errors: ['forbidden'],
      extension: true,
    },
    () => people.list(),
  ),
  route(
    'POST /v0/people',
    {
      id: 'add-person',
      summary: 'Create a token for a person',
      needs: 'operator',
      description:
        'The person reads all cities. Grants allow more; `x-gc-needs` of an operation names its grant. ' +
        'Their actions are recorded with `@` and their name as the actor.',
      repeat: { secret: 'revoke it with `gc people remove {id}`, and add the person again', id: 'name' },
      body: PersonAdd,
      ok: { 201: PersonAdded },
      errors: ['forbidden', 'conflict-wrong-state', 'validation-failed', 'store-unavailable'],
      extension: true,
    },
    (x) => people.add(x.caller, x.body),
  ),
  route(
    'DELETE /v0/people/{name}',
    {
      id: 'remove-person',
      summary: 'Revoke the token of a person',
      needs: 'operator',
      description:
        'The next request with it is 401, and streams of events that are open with it end. What they did stays recorded.',
      ok: OKResponseBody,
      errors: ['forbidden', 'person-not-found', 'store-unavailable'],
      extension: true,
    },
    (x) => people.remove(x.caller, x.params.name),
  ),
]
