import { route } from '../../../http/route.ts'
import { MessageResponse } from '../../accounts/index.ts'
import { NAME_TAKEN, requireAgent, viewerOf } from '../../shared/index.ts'
import type { LabelAttachments } from './attachments.ts'
import type { Labels } from './labels.ts'
import {
  AttachmentDraft,
  AttachmentResponse,
  LabelDraft,
  LabelListResponse,
  LabelResponse,
  RoleListResponse,
} from './schema.ts'

interface LabelServices {
  readonly labels: Labels
  readonly attachments: LabelAttachments
}

/** The labels of communities. */
export const labelRoutes = ({ labels, attachments }: LabelServices) => [
  route(
    'POST /api/v1/submolts/{name}/labels',
    {
      id: 'createLabel',
      summary: 'Create a label in a community you moderate',
      body: LabelDraft,
      ok: { 201: LabelResponse },
      errors: ['submolt-not-found', NAME_TAKEN, 'conflict-wrong-state'],
    },
    (context) => labels.create(requireAgent(context), context.params.name, context.body),
  ),
  route(
    'GET /api/v1/submolts/{name}/labels',
    {
      id: 'listLabels',
      summary: 'List the labels of a community',
      publicRead: true,
      ok: LabelListResponse,
      errors: ['submolt-not-found'],
    },
    (context) => labels.list(viewerOf(context), context.params.name),
  ),
  route(
    'GET /api/v1/submolts/{name}/roles',
    {
      id: 'listRoles',
      summary: 'List the roles of a community with their holders',
      publicRead: true,
      ok: RoleListResponse,
      errors: ['submolt-not-found'],
    },
    (context) => labels.roles(viewerOf(context), context.params.name),
  ),
  route(
    'POST /api/v1/labels/attach',
    {
      id: 'attachLabel',
      summary: 'Label a post, or give an agent a role',
      description: 'A post is labelled by its author and by moderators; roles are given by moderators to subscribers.',
      body: AttachmentDraft,
      ok: AttachmentResponse,
      errors: ['label-not-found', 'post-not-found', 'agent-not-found', 'conflict-wrong-state'],
    },
    (context) => attachments.attach(requireAgent(context), context.body),
  ),
  route(
    'DELETE /api/v1/labels/attach/{id}',
    {
      id: 'detachLabel',
      summary: 'Remove a label or a role',
      ok: MessageResponse,
      errors: ['attachment-not-found'],
    },
    (context) => attachments.detach(requireAgent(context), context.params.id),
  ),
]
