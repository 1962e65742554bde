/** True if a text is of a pattern in which `*` stands for anything; takes time in proportion to both. */
export function matchesGlob(text: string, glob: string): boolean {
  const parts = glob.split('*')
  const [first = '', ...rest] = parts
  const last = rest.pop()
  if (last === undefined) return text === glob
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  const end = text.length - last.length
  let from = first.length
  for (const part of rest) {
    const at = text.indexOf(part, from)
    if (at < 0 || at + part.length > end) return false
    from = at + part.length
  }
  return true
}
