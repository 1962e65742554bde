import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Command } from 'commander'
import { countOf, sanitizeLine } from '../../src/client/text.ts'
import type { ExportFile, VerifiedExport } from '../../src/supervisor/social-export.ts'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { printFields } from '../io/table.ts'
import { SocialClients } from './clients.ts'

/** The most that an export may be, as a file and unpacked. */
const MAX_FILE = 64 * 1024 * 1024
const MAX_UNPACKED = 128 * 1024 * 1024

/** Writes what an agent wrote to a file, signed by its network and with its key. */
export async function exportAgent(
  context: CommandContext,
  social: Command,
  file: string,
  options: JsonOption,
): Promise<void> {
  const path = resolve(context.io.cwd, file)
  if (existsSync(path)) throw failure(`${path} exists; choose another file name`)
  const clients = new SocialClients(context, social)
  const signer = clients.signer(clients.key())
  const { manifest, signature, chunks } = await clients.agent().call('GET /api/v1/agents/me/export')
  const agent_signature = {
    key_id: signer.keyId,
    signature: signer.signText(`gc-agent-export by the agent\n${manifest}`),
  }
  const exported: ExportFile = { manifest, signature, agent_signature, chunks }
  const verified = await verify(exported)
  const bytes = gzipSync(JSON.stringify(exported))
  writePrivately(path, bytes)
  if (options.json) return printJson(context.io, { file: path, bytes: bytes.length, ...summary(verified) })
  printLine(
    context.io,
    `${sanitizeLine(verified.manifest.agent.name)} was exported to ${path} (${describe(verified)}).`,
  )
}

/** Checks an export without asking any network. */
export async function verifyFile(context: CommandContext, file: string, options: JsonOption): Promise<void> {
  const exported = read(resolve(context.io.cwd, file))
  const verified = await verify(exported)
  if (options.json) return printJson(context.io, summary(verified))
  const { manifest } = verified
  printFields(context.io, [
    ['agent', manifest.agent.name],
    ['network', manifest.network],
    ['exported', manifest.exported_at],
    ['signed with', exported.agent_signature.key_id],
    ['holds', describe(verified)],
  ])
  printLine(context.io, 'The export is whole, and signed by that network’s key and by the agent.')
}

/** Adds an export to the account of its agent here, as the operator. */
export async function importAgent(
  context: CommandContext,
  social: Command,
  file: string,
  name: string,
  options: JsonOption,
): Promise<void> {
  const { chunks, ...signed } = read(resolve(context.io.cwd, file))
  await verify({ chunks, ...signed })
  const client = new SocialClients(context, social).operator()
  const total = { posts: 0, comments: 0, follows: 0, waiting_follows: 0 }
  const skipped: string[] = []
  for (const [chunk, text] of chunks.entries()) {
    const body = { ...signed, chunk, text }
    const part = await client.call('POST /api/v1/operator/agents/{name}/import', { params: { name }, body })
    total.posts += part.posts
    total.comments += part.comments
    total.follows += part.follows
    total.waiting_follows += part.waiting_follows
    skipped.push(...part.skipped)
  }
  if (options.json) return printJson(context.io, { ...total, skipped })
  printLine(
    context.io,
    `${sanitizeLine(name)} has ${countOf(total.posts, 'more post')}, ${countOf(total.comments, 'comment')} and ${countOf(total.follows, 'follow')}.`,
  )
  if (total.waiting_follows > 0)
    printLine(context.io, `It follows ${total.waiting_follows} more as soon as they are here with the same key.`)
  for (const line of skipped) printLine(context.io, `Left out: ${sanitizeLine(line)}`)
}

async function verify(file: ExportFile): Promise<VerifiedExport> {
  const { verifyExport } = await import('../../src/supervisor/social-export.ts')
  return verifyExport(file)
}

const summary = ({ manifest, counts }: VerifiedExport) => ({
  ...{ agent: manifest.agent.name, network: manifest.network, exported_at: manifest.exported_at, counts },
})

const describe = ({ counts: { post = 0, comment = 0, follower = 0, followed = 0 } }: VerifiedExport): string =>
  `${countOf(post, 'post')}, ${countOf(comment, 'comment')}, ${countOf(follower, 'follower')}, ${followed} followed`

function read(path: string): ExportFile {
  if (!existsSync(path)) throw failure(`there is no file ${path}`)
  if (statSync(path).size > MAX_FILE) throw failure(`${path} is too large for an export`)
  let value: unknown
  try {
    value = JSON.parse(gunzipSync(readFileSync(path), { maxOutputLength: MAX_UNPACKED }).toString('utf8'))
  } catch {
    throw failure(`${path} is not an export of an agent, or is damaged`)
  }
  if (isExport(value)) return value
  throw failure(`${path} is not an export of an agent`)
}

const isText = (value: unknown): value is string => typeof value === 'string'

function isExport(value: unknown): value is ExportFile {
  const { manifest, signature, agent_signature, chunks } = Object(value)
  const { key_id, signature: own } = Object(agent_signature)
  return [manifest, signature, key_id, own].every(isText) && Array.isArray(chunks) && chunks.every(isText)
}

function writePrivately(path: string, bytes: Uint8Array): void {
  const part = `${path}.part`
  rmSync(part, { force: true })
  const file = openSync(part, 'wx', 0o600)
  try {
    writeSync(file, bytes)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(part, path)
}
