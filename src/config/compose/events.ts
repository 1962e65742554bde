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
        description: 'The files that differ from the previous configuration, relative to the city and sorted.',
      }),
      total: Type.Integer({ description: 'Number of files that differ; `files` may list fewer.' }),
    },
    { $id: 'ConfigChangedPayload', additionalProperties: false },
  ),
  'A changed configuration was applied. Its actor is the one who changed it through gc, or `gc/config` if files were edited on disk.',
)
