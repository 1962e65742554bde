import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

const text = Type.String()

export const PullRequestChanged = defineEvent(
  'github.pull_request',
  Type.Object(
    {
      monitor: text,
      rig: Type.Optional(text),
      repo: Type.String({ description: '`owner/name`.' }),
      number: Type.Integer(),
      change: Type.Union(
        [Type.Literal('opened'), Type.Literal('updated'), Type.Literal('closed'), Type.Literal('merged')],
        { description: 'Changes since it was last read; only the latest of many.' },
      ),
      title: text,
      url: text,
      author: text,
      draft: Type.Boolean(),
      base: Type.String({ description: 'The branch that it is for.' }),
      head: Type.String({ description: 'Its own branch.' }),
      head_sha: text,
      updated_at: Type.String({ format: 'date-time' }),
    },
    { $id: 'PullRequestChangedPayload', additionalProperties: false },
  ),
  'A pull request that a `[[github.pr_monitor]]` watches changed. An order with `on = "github.pull_request"` follows it.',
)
