/** Characters that mean themselves to every shell, wherever they are in a word. */
const PLAIN = /[\w@%+=:,./-]/
const BLANK = /[ \t]/
/** No shell reads these as text, whatever stands around them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/
const MAX_LENGTH = 64 * 1024

/**
 * The words of one simple command as a shell reads them; undefined for any other text. Words are plain characters and
 * quoted text: there is no substitution, redirection, pattern, comment, assignment or second command.
 */
export function splitSimpleCommand(text: string): string[] | undefined {
  if (text.length > MAX_LENGTH || CONTROL.test(text)) return undefined
  const line = text.trim()
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < line.length; ) {
    const character = line.charAt(at)
    if (BLANK.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
      at++
    } else if (line.startsWith('\\\n', at)) at += 2
    else if (/^\\['"]/.test(line.slice(at, at + 2))) {
      word = (word ?? '') + line.charAt(at + 1)
      at += 2
    } else {
      const part = character === "'" || character === '"' ? quoted(line, at) : plain(line, at, word === undefined)
      if (part === undefined) return undefined
      word = (word ?? '') + part.text
      at = part.end
    }
  }
  return word === undefined ? words : [...words, word]
}

interface Part {
  readonly text: string
  readonly end: number
}

/** One character that means itself. A word that begins with `=` is a path to zsh. */
function plain(line: string, at: number, isFirst: boolean): Part | undefined {
  const character = line.charAt(at)
  return PLAIN.test(character) && !(isFirst && character === '=') ? { text: character, end: at + 1 } : undefined
}

/** Text in quotes, up to the closing one. */
function quoted(line: string, open: number): Part | undefined {
  const quote = line.charAt(open)
  let text = ''
  for (let at = open + 1; at < line.length; at++) {
    const character = line.charAt(at)
    if (character === quote) return { text, end: at + 1 }
    if (quote === '"' && (character === '$' || character === '`')) return undefined
    if (quote === '"' && character === '\\') {
      const next = line.charAt(at + 1)
      if (next === '\n') return undefined
      if (/["\\$`]/.test(next)) at++
      text += /["\\$`]/.test(next) ? next : character
    } else text += character
  }
  return undefined
}

/** A word as every shell reads it back. */
export const quote = (word: string): string =>
  /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
