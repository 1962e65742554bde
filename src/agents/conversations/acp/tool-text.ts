import { isRecord } from '../../../host/protocol/frames.ts'

/** What a question shows at most; beyond that it says that it is cut. */
const MAX_TEXT = 1 << 20

/** The command, address, files or diff that a tool call is about, whole. */
export function toolText({ rawInput, content, locations }: Record<string, unknown>): { text: string; cut: boolean } {
  const parts = [...inputParts(rawInput), ...contentParts(content)]
  const text = (parts.length > 0 ? parts : locationParts(locations)).join('\n\n')
  return { text: text.slice(0, MAX_TEXT), cut: text.length > MAX_TEXT }
}

/** A command or address as it is; whatever else an input has, as JSON. */
function inputParts(input: unknown): string[] {
  if (typeof input === 'string') return input === '' ? [] : [input]
  if (!isRecord(input)) return []
  const { command, cmd, ...rest } = input
  const words = command ?? cmd
  const line = Array.isArray(words) ? words.join(' ') : words
  if (typeof line === 'string' && line !== '') {
    const folder = rest.cwd ?? rest.workdir ?? rest.directory
    return typeof folder === 'string' && folder !== '' ? [line, `in ${folder}`] : [line]
  }
  const named = Object.entries(input).filter(([, value]) => value !== undefined && value !== null)
  return named.length > 0 ? [named.map(([name, value]) => `${name}: ${valueText(value)}`).join('\n')] : []
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2))

function contentParts(content: unknown): string[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((part) => {
    if (!isRecord(part)) return []
    if (part.type === 'diff') return [diffText(part)]
    const inner = isRecord(part.content) ? part.content.text : undefined
    return typeof inner === 'string' && inner !== '' ? [inner] : []
  })
}

function diffText({ path, oldText, newText }: Record<string, unknown>): string {
  const marked = (sign: string, text: unknown) =>
    typeof text === 'string' && text !== '' ? text.replace(/\n$/, '').replace(/^/gm, sign) : undefined
  return [String(path), marked('- ', oldText), marked('+ ', newText)].filter((part) => part !== undefined).join('\n')
}

function locationParts(locations: unknown): string[] {
  if (!Array.isArray(locations)) return []
  return locations.flatMap((place) => (isRecord(place) && typeof place.path === 'string' ? [place.path] : []))
}
