import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, errorMessage } from '../../core/errors.ts'
import { writePrivateFile } from '../../core/private-file.ts'
import {
  addBlock,
  parseToml,
  removeBlock,
  setKey,
  type TomlNode,
  type TomlPairs,
  type TomlTable,
} from '../../core/toml/index.ts'
import { RULE_KINDS, type Rule } from './rule.ts'

const HEADER = '[[rule]]'
const MAX_BYTES = 4 << 20
/** Maximum attempts of a write that others interrupt. */
const ATTEMPTS = 5

/** The rules as the file has them now. */
export interface StoredRules {
  readonly rules: readonly Rule[]
  /** Reason none of them applies; undefined if one does. */
  readonly problem: string | undefined
}

const NONE: StoredRules = { rules: [], problem: undefined }

/**
 * The file of a person's rules, in `$GC_HOME`. It counts only while no one else can read or write it. What a person
 * wrote beside the rules stays.
 */
export class RulesFile {
  readonly path: string
  #seen: { stamp: string; stored: StoredRules } | undefined

  constructor(home: string) {
    this.path = join(home, 'rules.toml')
  }

  /** The rules, read again when the file has changed. */
  read(): StoredRules {
    const stamp = this.#stamp()
    if (stamp === undefined) return NONE
    if (this.#seen?.stamp !== stamp) this.#seen = { stamp, stored: this.#load() }
    return this.#seen.stored
  }

  add(rule: Rule): Promise<void> {
    return this.#edit((text) => addBlock(text, HEADER, pairsOf(rule)))
  }

  remove(id: string): Promise<void> {
    return this.#edit((text) => removeBlock(text, offsetOf(text, id)))
  }

  review(id: string, reviewed: readonly string[]): Promise<void> {
    return this.#edit((text) => setKey(text, offsetOf(text, id), 'reviewed', reviewed))
  }

  async #edit(change: (text: string) => string | undefined): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const stamp = this.#stamp()
      const { problem } = this.read()
      if (problem !== undefined) throw new AppError('conflict-wrong-state', problem)
      const text = stamp === undefined ? '' : readFileSync(this.path, 'utf8')
      const next = change(text)
      if (next === undefined)
        throw new AppError('conflict-wrong-state', `${this.path} could not be edited; edit it by hand`)
      if (await writePrivateFile(this.path, next, () => this.#stamp() === stamp)) return
    }
    throw new AppError('conflict-wrong-state', `${this.path} is being written by another process; try again`)
  }

  /** Fingerprint of the file's state; undefined without a file. */
  #stamp(): string | undefined {
    const stats = lstatSync(this.path, { bigint: true, throwIfNoEntry: false })
    return stats && [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs, stats.mode].join()
  }

  #load(): StoredRules {
    const problem = this.#exposure()
    if (problem !== undefined) return { rules: [], problem }
    try {
      return { rules: blocksIn(readFileSync(this.path, 'utf8')).map(ruleOf), problem: undefined }
    } catch (error) {
      return { rules: [], problem: `${this.path} is wrong, and no rule applies: ${errorMessage(error)}` }
    }
  }

  #exposure(): string | undefined {
    const stats = lstatSync(this.path)
    const remedy = `so no rule applies; check what is in it, then chmod 600 ${this.path}`
    if (!stats.isFile()) return `${this.path} is not a plain file, so no rule applies`
    if (stats.size > MAX_BYTES) return `${this.path} is larger than 4 MB, so no rule applies`
    if (process.getuid && stats.uid !== process.getuid())
      return `${this.path} belongs to another user, so no rule applies`
    return (stats.mode & 0o077) === 0 ? undefined : `other users can read or write ${this.path}, ${remedy}`
  }
}

function blocksIn(text: string): TomlTable[] {
  const node = parseToml(text).entries.get('rule')
  if (node === undefined) return []
  const items = node.kind === 'array' ? node.items : [node]
  return items.map((item) => {
    if (item.kind !== 'table') throw new TypeError('rule must be [[rule]] tables')
    return item
  })
}

function offsetOf(text: string, id: string): number {
  const block = blocksIn(text).find(({ entries }) => textOf(entries.get('id')) === id)
  if (!block) throw new AppError('rule-not-found', `there is no rule ${id}`)
  return block.offset
}

const pairsOf = (rule: Rule): TomlPairs => [
  ['id', rule.id],
  ['city', rule.city],
  ['rig', rule.rig],
  ['agent', rule.agent],
  [rule.kind, rule.value],
  ['unconfined', rule.unconfined || undefined],
  ['added', rule.added],
  ['by', rule.by],
  ['until', rule.until === undefined ? undefined : new Date(rule.until).toISOString()],
  ['reviewed', rule.reviewed],
]

const textOf = (node: TomlNode | undefined): string | undefined =>
  node?.kind === 'string' || node?.kind === 'date' ? node.value : undefined

/** A rule of the file. One that says less than a rule needs is not a rule, and the file is wrong. */
function ruleOf({ entries, line }: TomlTable): Rule {
  const fault = (what: string) => new TypeError(`line ${line}: ${what}`)
  const text = (key: string) => textOf(entries.get(key))
  const [id, city, rig, agent, until] = [text('id'), text('city'), text('rig'), text('agent'), text('until')]
  const kinds = RULE_KINDS.filter((kind) => entries.has(kind))
  const [kind] = kinds
  const value = kind && text(kind)
  if (!id || !city) throw fault('a rule needs id and city')
  if (!rig && !agent) throw fault('a rule needs rig or agent')
  if (!kind || kinds.length > 1 || !value) throw fault(`a rule needs one of ${RULE_KINDS.join(', ')}`)
  const end = until === undefined ? undefined : Date.parse(until)
  if (Number.isNaN(end) || (entries.has('until') && end === undefined)) throw fault('until must be a date')
  const unconfined = entries.get('unconfined')
  const reviewed = entries.get('reviewed')
  const items = reviewed?.kind === 'array' ? reviewed.items.flatMap((item) => textOf(item) ?? []) : []
  return {
    ...{ id, city, rig, agent, kind, value, reviewed: items, until: end },
    unconfined: unconfined?.kind === 'boolean' && unconfined.value,
    ...{ added: text('added') ?? '', by: text('by') ?? '' },
  }
}
