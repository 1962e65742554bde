const PASTE_BEGIN = '\x1b[200~'
const PASTE_END = '\x1b[201~'
/** Control characters of both sets, but for the newline. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\x00-\x09\x0b-\x1f\x7f-\x9f]/g
/**
 * Characters that are invisible or change the direction of writing, so that people and programs read different texts.
 */
const INVISIBLE = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g
/** At the start of a line of input these are commands to many programs: a menu, a shell, a memory. */
const COMMAND = /^\s*[/!#@&]/

/** Text that cannot press a key: no control characters, line ends as newlines, no blank edges. */
export const toPlainText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029\x85]/g, '\n')
    .replaceAll('\t', '    ')
    .replace(CONTROL, '')
    .replace(INVISIBLE, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/^\n+/, '')
    .trimEnd()

/** Text as words for a program: what would begin with a command of the program's own is marked as quoted. */
export const quoteCommands = (text: string): string => (COMMAND.test(text) ? `» ${text.trimStart()}` : text)

/** The bytes that type the text. A program that does not mark pastes would take a newline for Enter, so it gets none. */
export function toKeys(text: string, bracketedPaste: boolean): Uint8Array {
  const keys = bracketedPaste ? PASTE_BEGIN + text + PASTE_END : text.replace(/\n+/g, ' ')
  return new TextEncoder().encode(keys)
}
