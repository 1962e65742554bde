/** Number of levels of objects and lists a JSON value that may have in a request. */
export const MAX_JSON_DEPTH = 64
/** Maximum depth of data from an agent or its program; deeper data could not be written as JSON again. */
export const MAX_WRITTEN_DEPTH = 256

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/** True if text, read as JSON, has more levels than `max`. It is scanned once and without recursion. */
export function isNestedTooDeep(json: string, max = MAX_JSON_DEPTH): boolean {
  let depth = 0
  for (let index = 0; index < json.length; index++) {
    const char = json.charCodeAt(index)
    if (char === QUOTE) index = endOfString(json, index)
    else if (OPENING.has(char)) {
      depth++
      if (depth > max) return true
    } else if (CLOSING.has(char)) depth--
  }
  return false
}

/** The closing quote of the string that begins at `start`; the end of the text when it has none. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end < 0 ? json.length : end
}

function isEscaped(json: string, index: number): boolean {
  let first = index
  while (json.charCodeAt(first - 1) === BACKSLASH) first--
  return (index - first) % 2 === 1
}
