import { addBlock, setInlineKey, type TomlValue } from '../../core/toml/index.ts'
import { type AgentBase, findAgent } from '../agents/index.ts'
import { changeBlock, requireEditable, textOf } from '../declare/index.ts'
import { CITY_FILE, type Drafts } from '../files/index.ts'
import type { ProviderBase } from '../providers/index.ts'

const ALLOW_HOSTS = 'allow_hosts'
const SHARE_LOGIN = 'share_login'

/** Adds a host to those that the sessions of an agent may reach, in the table that says how it is confined. */
export function allowHost(base: AgentBase, qualified: string, host: string): Drafts {
  const agent = findAgent(base, qualified)
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
    const confine: TomlValue = { ...(word && { mode: word }), [ALLOW_HOSTS]: hosts }
    return new Map([[block.file, changeBlock(text, block, { confine })]])
  }
  const inline = block.offset === undefined ? undefined : setInlineKey(text, block.offset, ALLOW_HOSTS, hosts)
  return new Map([[block.file, inline ?? changeBlock(text, block, { [ALLOW_HOSTS]: hosts })]])
}

/** Says whether confined sessions of a provider may read the login of its program. */
export function shareLogin(base: ProviderBase, provider: string, isShared: boolean): Drafts {
  const table = base.declarations.providers.get(provider)?.values.confine
  const block = table?.origins.shareLogin?.block ?? table?.block
  if (!block) {
    const header = `[providers.${provider}.confine]`
    return new Map([[CITY_FILE, addBlock(textOf(base.files, CITY_FILE), header, [[SHARE_LOGIN, isShared]])]])
  }
  requireEditable(block, `how provider "${provider}" is confined`)
  const text = textOf(base.files, block.file)
  const inline = block.offset === undefined ? undefined : setInlineKey(text, block.offset, SHARE_LOGIN, isShared)
  return new Map([[block.file, inline ?? changeBlock(text, block, { [SHARE_LOGIN]: isShared })]])
}
