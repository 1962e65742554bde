import { AppError } from '../../../core/errors.ts'
import { setInlineKey, type TomlValue } from '../../../core/toml/edit.ts'
import type { Drafts } from '../../files/file-snapshot.ts'
import { changeBlock, type EditBase, requireEditable, textOf } from './blocks.ts'

const KEY = 'allow_hosts'

/** Adds a host to those that the sessions of an agent may reach, in the table that says how it is confined. */
export function allowHost(base: EditBase, qualified: string, host: string): Drafts {
  const agent = base.config.agents.find((each) => each.qualified === qualified)
  if (!agent) throw new AppError('agent-not-found', `agent ${qualified} not found`)
  const { confineTable: table } = agent
  const allowed = table?.values.allowHosts ?? []
  if (allowed.includes(host)) return new Map()
  const block = table?.origins.allowHosts?.block ?? table?.block ?? agent.block
  requireEditable(block, `how agent "${qualified}" is confined`)
  const text = textOf(base.files, block.file)
  const hosts = [...allowed, host]
  // A word stands for a table, and gives way to one.
  const word = table?.origins.mode?.key === 'confine' && table.values.mode
  if (!table || (word && block === table.origins.mode?.block)) {
    const confine: TomlValue = { ...(word && { mode: word }), [KEY]: hosts }
    return new Map([[block.file, changeBlock(text, block, { confine })]])
  }
  const inline = block.offset === undefined ? undefined : setInlineKey(text, block.offset, KEY, hosts)
  return new Map([[block.file, inline ?? changeBlock(text, block, { [KEY]: hosts })]])
}
