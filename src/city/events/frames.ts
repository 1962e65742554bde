import { type Static, Type } from '@sinclair/typebox'
import type { Recorded } from '../../core/events/event.ts'
import type { Followed, Gap } from '../../core/events/follow.ts'
import { type Frame, line } from '../../http/sse.ts'
import type { WorkflowEvents } from '../../orchestration/runs/projection.ts'

export const GapFrame = Type.Object(
  {
    type: Type.Literal('gap'),
    city: Type.Optional(Type.String({ description: 'Whose events; on streams over all cities.' })),
    from: Type.Integer({ description: 'The last event the reader had.' }),
    to: Type.Integer({ description: 'The stream goes on after this one.' }),
    reason: Type.Union([Type.Literal('removed'), Type.Literal('ahead')], {
      description: '`removed`: they are too old to be kept. `ahead`: the reader had seen more than there is.',
    }),
  },
  { $id: 'EventGap', additionalProperties: false, description: 'Events the reader asked for and does not get.' },
)
export type GapFrame = Static<typeof GapFrame>

const frames = new WeakMap<Recorded, Frame>()

/** The frame of an event, made once for all who follow its city. */
function eventFrame(recorded: Recorded, workflows: WorkflowEvents): Frame {
  const known = frames.get(recorded)
  if (known) return known
  const frame = { id: String(recorded.seq), event: 'event', data: line(projected(recorded, workflows)) }
  frames.set(recorded, frame)
  return frame
}

/** An event as streams show it: with what it means for a workflow, if it does. */
export function projected<Event extends Recorded>(recorded: Event, workflows: WorkflowEvents | undefined): Event {
  const workflow = workflows?.of(recorded)
  return workflow ? { ...recorded, workflow } : recorded
}

const gapFrame = (gap: Gap): Frame => ({ id: String(gap.to), event: 'gap', data: { type: 'gap', ...gap } })

export const toFrame = (followed: Followed, workflows: WorkflowEvents): Frame =>
  followed.gap ? gapFrame(followed.gap) : eventFrame(followed.recorded, workflows)
