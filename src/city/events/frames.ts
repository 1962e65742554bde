import { type Static, Type } from '@sinclair/typebox'
import { AppError } from '../../core/errors.ts'
import type { FollowedEvent, Gap, RecordedEvent } from '../../core/events/index.ts'
import { type SseFrame, toSseLine } from '../../http/sse.ts'
import type { WorkflowEvents } from '../../orchestration/runs/index.ts'

export const GapFrame = Type.Object(
  {
    type: Type.Literal('gap'),
    city: Type.Optional(
      Type.String({ description: 'The city whose events are missing; only on streams of all cities.' }),
    ),
    from: Type.Integer({ description: 'The last event the reader had.' }),
    to: Type.Integer({ description: 'The stream continues after this one.' }),
    reason: Type.Union([Type.Literal('removed'), Type.Literal('ahead')], {
      description: '`removed`: they were deleted by retention. `ahead`: the resume point is beyond the newest event.',
    }),
  },
  { $id: 'EventGap', additionalProperties: false, description: 'Events that were requested and cannot be sent.' },
)
export type GapFrame = Static<typeof GapFrame>

const frames = new WeakMap<RecordedEvent, SseFrame>()

/** The frame of an event, built once for all readers of its city. */
function eventFrame(recorded: RecordedEvent, workflows: WorkflowEvents): SseFrame {
  const cached = frames.get(recorded)
  if (cached) return cached
  const frame = { id: String(recorded.seq), event: 'event', data: toSseLine(withWorkflow(recorded, workflows)) }
  frames.set(recorded, frame)
  return frame
}

/** An event as streams show it, with its workflow when it belongs to one. */
export function withWorkflow<Event extends RecordedEvent>(
  recorded: Event,
  workflows: WorkflowEvents | undefined,
): Event {
  const workflow = workflows?.project(recorded)
  return workflow ? { ...recorded, workflow } : recorded
}

const gapFrame = (gap: Gap): SseFrame => ({ id: String(gap.to), event: 'gap', data: { type: 'gap', ...gap } })

export const toFrame = (followed: FollowedEvent, workflows: WorkflowEvents): SseFrame =>
  followed.gap ? gapFrame(followed.gap) : eventFrame(followed.event, workflows)

/** The resume point of a stream, which must be a plain number. */
export function parseResumePoint(text: string): number {
  if (/^\d{1,15}$/.test(text.trim())) return Number(text)
  throw new AppError('invalid-cursor', 'the resume point is the number of an event, as in the id of a frame')
}
