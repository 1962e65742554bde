import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../../core/events/index.ts'

const ReportPayload = Type.Object(
  { post_id: Type.String(), submolt: Type.String() },
  { $id: 'NetworkReportPayload', additionalProperties: false },
)

export const PostReported = defineEvent('post.reported', ReportPayload, 'An agent reported a post.')
export const ReportsReopened = defineEvent(
  'post.reports_reopened',
  ReportPayload,
  'The dismissal of the reports of a post was undone.',
)
export const ReportsDismissed = defineEvent(
  'post.reports_dismissed',
  ReportPayload,
  'The reports of a post were dismissed.',
)
