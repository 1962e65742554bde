const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/
/** An escape: a pair of surrogates, a surrogate alone, or any other. */
const ESCAPE = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|.)/gs
const LONE_LENGTH = '\\udc00'.length

/**
 * JSON text with every lone surrogate written as U+FFFD. Only half of a character, it can neither be stored nor sent: what
 * is read of it later would differ from what was checked.
 */
export function withoutLoneSurrogates(json: string): string {
  if (!ESCAPED_SURROGATE.test(json)) return json
  return json.replace(ESCAPE, (sequence) => (sequence.length === LONE_LENGTH ? '\\ufffd' : sequence))
}
