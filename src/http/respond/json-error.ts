import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'

/** The longest beginning of a JSON string that is valid. */
const VALID_STRING = /^"(?:[[ -\u{10ffff}]--["\\]]|\\(?:["\\\/bfnrt]|u[\da-f]{4}))*/iv

/** Says where the text stops being JSON: `unexpected "}" at line 3, column 7`. */
export function describeJsonError(text: string): string {
  const errors: ParseError[] = []
  try {
    parse(text, errors, { disallowComments: true })
  } catch {
    return 'it is nested too deeply'
  }
  const [first] = errors
  return first ? describe(text, offsetOf(text, first)) : 'it is not valid JSON'
}

function describe(text: string, offset: number): string {
  const before = text.slice(0, offset)
  const position = `line ${before.split('\n').length}, column ${offset - before.lastIndexOf('\n')}`
  const char = text[offset]
  return char === undefined ? `it ends too early, at ${position}` : `unexpected ${JSON.stringify(char)} at ${position}`
}

/** Offset of the error in the text: within a string or number, at its first wrong character. */
function offsetOf(text: string, { error, offset, length }: ParseError): number {
  switch (printParseErrorCode(error)) {
    case 'UnexpectedEndOfString':
    case 'InvalidEscapeCharacter':
    case 'InvalidUnicode':
    case 'InvalidCharacter':
      return offset + (VALID_STRING.exec(text.slice(offset))?.[0].length ?? 0)
    case 'UnexpectedEndOfNumber':
      return offset + length
    default:
      return offset
  }
}
