import { isNestedTooDeep, MAX_WRITTEN_DEPTH } from '../../../core/text/index.ts'
import type { Bead } from '../../../work/beads/index.ts'
import { ResultKey } from '../../../work/metadata.ts'
import { metadataValue } from '../node.ts'

/** Parses JSON that somebody wrote; undefined when it is none, or nested too deep to be written again. */
export function parseJson(text: string): { value: unknown } | undefined {
  if (isNestedTooDeep(text, MAX_WRITTEN_DEPTH)) return undefined
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Reason the output of a step is not what the step has to hand on; undefined when it is. */
export function outputError(bead: Bead): string | undefined {
  const output = metadataValue(bead, ResultKey.outputJson)
  const isRequired = metadataValue(bead, ResultKey.outputRequired) === 'true'
  if (output === '') return isRequired ? 'missing_output_json' : undefined
  if (!isRequired) return undefined
  return parseJson(output) ? undefined : 'invalid_output_json'
}
