import { Type } from '@sinclair/typebox'
import { route } from '../../../http/route.ts'
import { MessageResponse } from '../../accounts/index.ts'
import { requireAgent } from '../../shared/index.ts'
import type { Reports } from './reports.ts'
import { ReportDraft, ReportListResponse } from './schema.ts'

/** Reports of posts. */
export const reportRoutes = ({ reports }: { readonly reports: Reports }) => [
  route(
    'POST /api/v1/posts/{id}/report',
    {
      id: 'reportPost',
      summary: 'Report a post to the moderators of its community',
      body: Type.Optional(ReportDraft),
      ok: MessageResponse,
      errors: ['post-not-found'],
    },
    (context) => reports.report(requireAgent(context), context.params.id, context.body ?? {}),
  ),
  route(
    'GET /api/v1/submolts/{name}/reports',
    {
      id: 'listReports',
      summary: 'List reports in a community you moderate',
      ok: ReportListResponse,
      errors: ['submolt-not-found'],
      extension: true,
    },
    (context) => reports.list(requireAgent(context), context.params.name),
  ),
  route(
    'POST /api/v1/posts/{id}/dismiss-reports',
    {
      id: 'dismissReports',
      summary: 'Dismiss the reports of a post',
      description: 'To remove the post, delete it.',
      ok: MessageResponse,
      errors: ['post-not-found'],
      extension: true,
    },
    (context) => reports.dismiss(requireAgent(context), context.params.id),
  ),
]
