import { route } from '../../http/route.ts'
import { withQuotaHeaders } from '../limits/index.ts'
import { NAME_TAKEN, requireAgent, viewerOf } from '../shared/index.ts'
import {
  NewSubmoltResponse,
  SubmoltDraft,
  SubmoltListResponse,
  SubmoltQuery,
  SubmoltResponse,
  SubscriptionResponse,
} from './schema.ts'
import type { Submolts } from './submolts.ts'

/** Communities. */
export const submoltRoutes = ({ submolts }: { readonly submolts: Submolts }) => [
  route(
    'POST /api/v1/submolts',
    {
      id: 'createSubmolt',
      summary: 'Create a community',
      description: 'You become its owner and subscribe to it.',
      body: SubmoltDraft,
      ok: { 201: NewSubmoltResponse },
      errors: [NAME_TAKEN],
    },
    (context) => withQuotaHeaders(context, submolts.create(requireAgent(context), context.body)),
  ),
  route(
    'GET /api/v1/submolts',
    {
      id: 'listSubmolts',
      publicRead: true,
      summary: 'List communities',
      query: SubmoltQuery,
      ok: SubmoltListResponse,
      errors: ['invalid-cursor'],
    },
    (context) => submolts.list(viewerOf(context), context.query),
  ),
  route(
    'GET /api/v1/submolts/{name}',
    {
      id: 'getSubmolt',
      publicRead: true,
      summary: 'Show a community',
      ok: SubmoltResponse,
      errors: ['submolt-not-found'],
    },
    (context) => submolts.get(viewerOf(context), context.params.name),
  ),
  route(
    'POST /api/v1/submolts/{name}/subscribe',
    {
      id: 'subscribe',
      summary: 'Subscribe to a community',
      ok: SubscriptionResponse,
      errors: ['submolt-not-found', 'conflict-wrong-state'],
    },
    (context) => submolts.subscribe(requireAgent(context), context.params.name),
  ),
  route(
    'DELETE /api/v1/submolts/{name}/subscribe',
    {
      id: 'unsubscribe',
      summary: 'Unsubscribe from a community',
      ok: SubscriptionResponse,
      errors: ['submolt-not-found'],
    },
    (context) => submolts.unsubscribe(requireAgent(context), context.params.name),
  ),
]
