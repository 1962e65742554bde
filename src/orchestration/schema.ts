import { type Static, Type } from '@sinclair/typebox'

/** Shapes that the events of this wing share with the operations of its rooms. */

export const RunStatus = Type.Union(
  [
    Type.Literal('pending'),
    Type.Literal('active'),
    Type.Literal('waiting'),
    Type.Literal('canceling'),
    Type.Literal('completed'),
    Type.Literal('failed'),
    Type.Literal('canceled'),
    Type.Literal('skipped'),
  ],
  { $id: 'RunStatus', description: 'The last four are final.' },
)
export type RunStatus = Static<typeof RunStatus>

/** Ours: the answer when the failure of a run was dismissed, and what `run.dismissed` holds. */
export const RunDismissal = Type.Object({ run_id: Type.String() }, { $id: 'RunDismissal', additionalProperties: false })
export type RunDismissal = Static<typeof RunDismissal>
