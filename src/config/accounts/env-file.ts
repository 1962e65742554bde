import { readPrivateFile } from './private-file.ts'

const LINE = /^(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^#]*?))\s*(?:#.*)?$/
/** What a session is told about itself cannot be set by a file. */
const RESERVED = /^(?:GC_|BEADS_ACTOR$|PATH$|TERM$)/

/** Reads a file with a `NAME=value` a line; throws a sentence that names the line but none of the values. */
export function readEnvFile(path: string): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const [index, line] of readPrivateFile(path).split(/\r?\n/).entries()) {
    const text = line.trim()
    if (text === '' || text.startsWith('#')) continue
    const [, name, escaped, literal, plain] = LINE.exec(text) ?? []
    if (name === undefined) throw new Error(`${path}:${index + 1}: it is not NAME=value`)
    if (RESERVED.test(name)) throw new Error(`${path}:${index + 1}: ${name} is set by gc; take it out`)
    variables[name] = escaped?.replaceAll(/\\(.)/g, '$1') ?? literal ?? plain ?? ''
  }
  return variables
}
