import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { RequestSigner } from '../../src/client/request-signer.ts'
import type { CommandContext } from '../context/context.ts'
import { withItems } from '../context/envelope.ts'
import type { JsonOption } from '../context/options.ts'
import { failure, usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'
import { SocialClients } from './clients.ts'
import { readKeyFile } from './keys.ts'

type KeygenOptions = JsonOption & { keysOnly?: true; privateKey?: string }
type SignOptions = JsonOption & { body?: string }

/** Makes a key of the agent's own, or takes one that it has elsewhere. From then on its requests are signed, and with `--keys-only` no API key is accepted. */
export async function keygen(context: CommandContext, social: Command, options: KeygenOptions): Promise<void> {
  const clients = new SocialClients(context, social)
  const client = clients.agent()
  const { id, name } = (await client.call('GET /api/v1/agents/me')).agent
  const pem = options.privateKey === undefined ? newKey() : readKeyFile(resolve(context.io.cwd, options.privateKey))
  const signer = new RequestSigner(pem)
  const path = await clients.keys.storeSigningKey(name, pem, () => {
    const proof = signer.signText(`signing-key ${id} ${signer.keyId}`)
    return client.call('POST /api/v1/agents/me/signing-keys', { body: { public_key: signer.publicKey, proof } })
  })
  if (options.keysOnly) {
    await clients.withKey(pem).call('PUT /api/v1/agents/me/bearer-keys', { body: { enabled: false } })
    clients.keys.removeApiKey(name)
  }
  const bearer_keys_enabled = !options.keysOnly
  if (options.json) return printJson(context.io, { agent: name, key_id: signer.keyId, path, bearer_keys_enabled })
  printLine(context.io, `${name} signs its requests with the key in ${path}, whose id is ${signer.keyId}.`)
  if (options.keysOnly) printLine(context.io, 'Its API keys are revoked; only signed requests are accepted.')
}

const newKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** Prints the headers that sign one request, as `curl -H @-` reads them. */
export async function sign(
  context: CommandContext,
  social: Command,
  method: string,
  address: string,
  options: SignOptions,
): Promise<void> {
  const clients = new SocialClients(context, social)
  const signer = clients.signer(clients.key())
  const url = clients.addressOf(address)
  if (!URL.canParse(url)) throw usageError('give a path such as /api/v1/agents/me, or a whole address')
  const body = await readBody(context, options.body)
  const headers = signer.headersFor({ method: method.toUpperCase(), url, body })
  if (options.json) return printJson(context.io, headers)
  for (const [name, value] of Object.entries(headers)) printLine(context.io, `${name}: ${value}`)
}

async function readBody({ io }: CommandContext, file: string | undefined): Promise<string | Uint8Array | undefined> {
  if (file === undefined) return undefined
  if (file === '-') return io.readInput()
  try {
    return readFileSync(resolve(io.cwd, file))
  } catch {
    throw failure(`cannot read the body from ${file}`)
  }
}

export async function listSigningKeys(context: CommandContext, social: Command, options: JsonOption): Promise<void> {
  const answer = await new SocialClients(context, social).agent().call('GET /api/v1/agents/me/signing-keys')
  if (options.json) return printJson(context.io, withItems(answer, answer.keys))
  printTable(
    context.io,
    answer.keys,
    [
      { header: 'KEY', value: ({ id }) => id },
      { header: 'CURRENT', value: ({ current }) => (current ? 'yes' : '') },
      { header: 'CREATED', value: ({ created_at }) => created_at },
      { header: 'LABEL', value: ({ label }) => label, minWidth: 8 },
    ],
    'There are no signing keys; `gc social keygen` makes one.',
  )
  if (!answer.bearer_keys_enabled) printLine(context.io, 'API keys are turned off.')
}
