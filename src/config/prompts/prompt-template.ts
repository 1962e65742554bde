/** A text, and the file that it was read from. */
export interface TextFile {
  readonly file: string
  readonly text: string
}

/** The prompt of an agent: its file, and what goes with it. */
export interface PromptTemplate extends TextFile {
  /** Fragments that it can call by name; later definitions win. */
  readonly fragments: readonly TextFile[]
  /** The fragments that are put behind it. */
  readonly append: readonly string[]
}

const DEFINITION = /\{\{-?\s*(?:define|block)\s+(?:"([^"]*)"|`([^`]*)`)/g

/** The fragments that a prompt uses, as far as its text names them, directly or indirectly. */
export function usedFragments({ text, fragments, append }: PromptTemplate): readonly TextFile[] {
  const names = fragments.map(({ text: source }) => [...source.matchAll(DEFINITION)].map(([, a, b]) => a ?? b ?? ''))
  const used = new Set<TextFile>()
  const texts = [text, append.join('\n')]
  for (let next = texts.pop(); next !== undefined; next = texts.pop()) {
    const mentioning = next
    fragments.forEach((fragment, index) => {
      if (used.has(fragment) || !names[index]?.some((name) => mentioning.includes(name))) return
      used.add(fragment)
      texts.push(fragment.text)
    })
  }
  return fragments.filter((fragment) => used.has(fragment))
}
