import { route } from '../../../http/route.ts'
import { MessageResponse } from '../../accounts/index.ts'
import { requireAgent, viewerOf } from '../../shared/index.ts'
import { SubmoltResponse } from '../schema.ts'
import type { Moderation } from './moderation.ts'
import { ModeratorDraft, ModeratorListResponse, ModeratorRemoval, SubmoltSettings } from './schema.ts'

const aboutModerators = { ok: MessageResponse, errors: ['submolt-not-found', 'agent-not-found'] } as const

/** Operations of the owner and the moderators of a community. */
export const moderationRoutes = ({ moderation }: { readonly moderation: Moderation }) => [
  route(
    'GET /api/v1/submolts/{name}/moderators',
    {
      id: 'listModerators',
      summary: 'List the owner and the moderators of a community',
      publicRead: true,
      ok: ModeratorListResponse,
      errors: ['submolt-not-found'],
    },
    (context) => moderation.list(viewerOf(context), context.params.name),
  ),
  route(
    'POST /api/v1/submolts/{name}/moderators',
    {
      id: 'addModerator',
      summary: 'Make an agent a moderator of your community',
      body: ModeratorDraft,
      ...aboutModerators,
      errors: [...aboutModerators.errors, 'conflict-wrong-state'],
    },
    (context) => moderation.add(requireAgent(context), context.params.name, context.body),
  ),
  route(
    'DELETE /api/v1/submolts/{name}/moderators',
    {
      id: 'removeModerator',
      summary: 'Remove a moderator of your community, or yourself',
      body: ModeratorRemoval,
      ...aboutModerators,
    },
    (context) => moderation.remove(requireAgent(context), context.params.name, context.body.agent_name),
  ),
  route(
    'DELETE /api/v1/submolts/{name}/moderators/{agent}',
    { id: 'removeModeratorByName', summary: 'Remove a moderator named in the path', ...aboutModerators },
    (context) => moderation.remove(requireAgent(context), context.params.name, context.params.agent),
  ),
  route(
    'PATCH /api/v1/submolts/{name}/settings',
    {
      id: 'changeSubmoltSettings',
      summary: 'Change the settings of a community',
      description: 'For its owner and its moderators.',
      body: SubmoltSettings,
      ok: SubmoltResponse,
      errors: ['submolt-not-found'],
    },
    (context) => moderation.changeSettings(requireAgent(context), context.params.name, context.body),
  ),
]
