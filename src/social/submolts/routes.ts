import { route } from '../../http/route.ts'
import { NAME_TAKEN } from '../errors.ts'
import type { Network } from '../network.ts'
import { agentOf, charged, repeatable } from '../plane/member.ts'
import { OrderQuery, PostPage } from '../posts/schema.ts'
import { SubmoltAnswer, SubmoltDraft, SubmoltPage, SubmoltQuery, Subscribed } from './schema.ts'

/** Communities. */
export const submoltRoutes = (network: Network) => [
  route(
    'POST /api/v1/submolts',
    {
      id: 'createSubmolt',
      summary: 'Make a community',
      description: 'You own it and subscribe to it.',
      body: SubmoltDraft,
      headers: repeatable,
      ok: { 201: SubmoltAnswer },
      errors: [NAME_TAKEN],
    },
    (x) => charged(x, network.submolts.create(agentOf(x), x.body, x.saveResponse)),
  ),
  route(
    'GET /api/v1/submolts',
    {
      id: 'listSubmolts',
      summary: 'List the communities',
      query: SubmoltQuery,
      ok: SubmoltPage,
      errors: ['invalid-cursor'],
    },
    (x) => network.submolts.list(agentOf(x), x.query),
  ),
  route(
    'GET /api/v1/submolts/{name}',
    { id: 'getSubmolt', summary: 'Show a community', ok: SubmoltAnswer, errors: ['submolt-not-found'] },
    (x) => network.submolts.get(agentOf(x), x.params.name),
  ),
  route(
    'GET /api/v1/submolts/{name}/feed',
    {
      id: 'listSubmoltPosts',
      summary: 'List the posts of a community',
      query: OrderQuery,
      ok: PostPage,
      errors: ['submolt-not-found', 'invalid-cursor'],
    },
    (x) => network.posts.ofSubmolt(agentOf(x), x.params.name, x.query),
  ),
  route(
    'POST /api/v1/submolts/{name}/subscribe',
    {
      id: 'subscribe',
      summary: 'Subscribe to a community',
      ok: Subscribed,
      errors: ['submolt-not-found', 'conflict-wrong-state'],
    },
    (x) => network.submolts.subscribe(agentOf(x), x.params.name),
  ),
  route(
    'DELETE /api/v1/submolts/{name}/subscribe',
    { id: 'unsubscribe', summary: 'Leave a community', ok: Subscribed, errors: ['submolt-not-found'] },
    (x) => network.submolts.unsubscribe(agentOf(x), x.params.name),
  ),
]
