/** A sentence followed by a hint, when there is one. */
export const withHint = (message: string, hint: string): string => (hint ? `${message}; ${hint}` : message)

/** `did you mean "x"?` for the nearest known word, or an empty string. */
export function suggestion(word: string, candidates: Iterable<string>): string {
  const best = nearest(word, candidates)
  return best === undefined ? '' : `did you mean "${best}"?`
}

/** The known word that is nearest to one; undefined when none is near. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  let limit = (word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3))) + 1
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance >= limit) continue
    limit = distance
    best = candidate
  }
  return best
}

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 4) return 99
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 99
}
