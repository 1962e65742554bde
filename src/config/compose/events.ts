import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

/** Maximum files named in an event. */
export const MAX_NAMED_FILES = 100

export const ConfigChanged = defineEvent(
  'config.changed',
  Type.Object(
    {
      files: Type.Array(Type.String(), {
        maxItems: MAX_NAMED_FILES,
        description: 'The files that differ from those in force before, named from the city’s folder and sorted.',
      }),
      total: Type.Integer({ description: 'How many files differ; more than are named when there are many.' }),
    },
    { $id: 'ConfigChangedPayload', additionalProperties: false },
  ),
  'Another configuration came into force. Its actor is who changed it through gc, or `gc/config` when files were edited on disk.',
)
