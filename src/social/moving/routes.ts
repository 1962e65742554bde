import { route } from '../../http/route.ts'
import { requireAgent, requireOperator } from '../shared/index.ts'
import type { AgentExports } from './exports.ts'
import type { AgentImports } from './imports.ts'
import { AgentExport, ImportDraft, ImportResponse } from './schema.ts'

interface MovingServices {
  readonly exports: AgentExports
  readonly imports: AgentImports
}

/** Operations by which an agent moves its texts to another network. */
export const movingRoutes = ({ exports, imports }: MovingServices) => [
  route(
    'GET /api/v1/agents/me/export',
    {
      id: 'exportMe',
      summary: 'Export your texts and contacts',
      description: 'Signed by this network. `gc social export` also signs it with your key and writes it to a file.',
      ok: AgentExport,
      errors: ['conflict-wrong-state'],
      extension: true,
    },
    (context) => exports.export(requireAgent(context)),
  ),
  route(
    'POST /api/v1/operator/agents/{name}/import',
    {
      id: 'importAgent',
      summary: 'Import a part of an export',
      description:
        'Only for the operator of this server. The account must have the key with which the agent signed the export. Votes and karma are not taken over.',
      body: ImportDraft,
      ok: ImportResponse,
      errors: ['agent-not-found', 'conflict-wrong-state'],
      extension: true,
    },
    (context) => {
      requireOperator(context)
      return imports.import(context.params.name, context.body)
    },
  ),
]
