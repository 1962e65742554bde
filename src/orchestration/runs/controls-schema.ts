import { type Static, Type } from '@sinclair/typebox'
import { RunStatus } from '../schema.ts'

const closed = { additionalProperties: false } as const

/** Ours: why a run is paused. */
export const RunPauseBody = Type.Object(
  { reason: Type.Optional(Type.String({ maxLength: 2000, description: 'Reason, shown with the run.' })) },
  { $id: 'RunPauseBody', ...closed },
)
export type RunPauseBody = Static<typeof RunPauseBody>

const reason = (description: string) => Type.String({ minLength: 1, maxLength: 2000, description })

/** Ours: where a run begins again. */
export const RunRetryBody = Type.Object(
  {
    step: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The id of its bead, or its name in the formula; what failed, when it is absent.',
      }),
    ),
    reason: Type.Optional(reason('Reason, shown with the run.')),
  },
  { $id: 'RunRetryBody', ...closed },
)
export type RunRetryBody = Static<typeof RunRetryBody>

/** Ours: which step a run continues without. */
export const RunSkipBody = Type.Object(
  {
    step: Type.String({ minLength: 1, description: 'The id of its bead, or its name in the formula.' }),
    reason: reason('Reason it is not needed, stored with the step.'),
  },
  { $id: 'RunSkipBody', ...closed },
)
export type RunSkipBody = Static<typeof RunSkipBody>

/** Ours: how a run stands once a person has acted on it. */
export const RunControlResponse = Type.Object(
  { run_id: Type.String(), status: RunStatus },
  { $id: 'RunControlResponse', ...closed },
)
export type RunControlResponse = Static<typeof RunControlResponse>
