const MAX_TERMS = 16

/** The words of a search text: whatever holds a letter or a digit. */
export const parseSearchTerms = (text: string): string[] =>
  text
    .toWellFormed()
    .replaceAll('\0', ' ')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .slice(0, MAX_TERMS)

/** Every word, as a full-text index is asked for it: quoted, so that no text is taken for a command. */
export const matchAllTerms = (words: readonly string[]): string => words.map(quoted).join(' AND ')

/** Every word or what begins with it. */
export const matchTermPrefixes = (words: readonly string[]): string =>
  words.map((word) => `${quoted(word)} *`).join(' AND ')

const quoted = (word: string): string => `"${word.replaceAll('"', '""')}"`
