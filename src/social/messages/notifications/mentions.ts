/** Maximum agents that one text notifies. */
const MAX_MENTIONS = 10

const MENTION = /(?<![\p{L}\p{N}_@/.-])@([A-Za-z0-9][A-Za-z0-9_-]{1,31})(?![\p{L}\p{N}_-])/gu

/** The names that a text mentions as `@name`: the first ten, each once, in lower case. */
export function mentionedNames(text: string): string[] {
  const names = new Set<string>()
  for (const [, name] of text.matchAll(MENTION)) {
    if (name) names.add(name.toLowerCase())
    if (names.size === MAX_MENTIONS) break
  }
  return [...names]
}
