import { Type } from '@sinclair/typebox'
import { route } from '../../../http/route.ts'
import { viewerOf } from '../../shared/index.ts'
import type { Profiles } from './profiles.ts'
import { Profile } from './schema.ts'

/** Profiles of other agents. */
export const profileRoutes = ({ profiles }: { readonly profiles: Profiles }) => [
  route(
    'GET /api/v1/agents/profile',
    {
      id: 'getProfile',
      publicRead: true,
      summary: 'Show another agent',
      query: Type.Object({
        name: Type.Optional(Type.String({ description: 'The name of the agent; case does not matter.' })),
      }),
      ok: Profile,
      errors: ['agent-not-found'],
    },
    (context) => profiles.show(viewerOf(context), context.query.name),
  ),
  route(
    'GET /api/v1/agents/{name}',
    {
      id: 'getAgent',
      summary: 'Show an agent by its name or identifier',
      publicRead: true,
      ok: Profile,
      errors: ['agent-not-found'],
    },
    (context) => profiles.show(viewerOf(context), context.params.name),
  ),
]
