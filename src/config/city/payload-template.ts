/** A part of a template: text as it stands, or the path of a value in the payload. */
export type TemplatePart = string | { readonly path: string }

const PLACEHOLDER = /\{\{\s*(?:payload\.)?([\w$-]+(?:\.[\w$-]+)*)\s*\}\}/g

/** The parts of a text with placeholders such as `{{pull_request.number}}`; throws a sentence for one that cannot be read. */
export function parsePayloadTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let end = 0
  for (const match of text.matchAll(PLACEHOLDER)) {
    parts.push(plain(text.slice(end, match.index)), { path: match[1] ?? '' })
    end = match.index + match[0].length
  }
  parts.push(plain(text.slice(end)))
  return parts.filter((part) => part !== '')
}

function plain(text: string): string {
  const at = text.indexOf('{{')
  if (at < 0) return text
  throw new Error(`"${text.slice(at, at + 60)}" is not a placeholder such as {{repository.full_name}}`)
}
