import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { at, both, say, Table, took } from './support/figures.ts'
import { Town } from './support/town.ts'
import type { Wire } from './support/wire.ts'

/**
 * People in messengers: from a message that is posted until it is in the input of the session that answers, how fast
 * messages are taken, and a transcript that is read. `bun test/bench/extmsg.bench.ts`.
 */

const NUDGES = 25
/** Between two messages, so that the session is at rest. */
const PAUSE_MS = 1_300
const POSTED = 5_000
const CLIENTS = 32
const READS = 300

/** A program with a prompt, as those of agents have, that writes down whatever is typed to it. */
const LISTENS = `#!/bin/sh
printf '> '
while IFS= read -r line; do printf '%s\\n' "$line" >> "$GC_HOME/input"; printf '> '; done
`
const declaration = (program: string) => `
[providers.listener]
command = "${program}"
ready_prompt_prefix = "> "
[[agent]]
name = "clerk"
provider = "listener"
max_active_sessions = 1
[[named_session]]
template = "clerk"
mode = "always"
`

const conversation = (id: string) => ({
  ...{ scope_id: 'mill', provider: 'chat', account_id: 'acct', conversation_id: id, kind: 'dm' },
})
const message = (id: string, to: string) => ({
  message: {
    ...{ provider_message_id: id, conversation: conversation(to), text: `this is message ${id}.` },
    actor: { id: 'u', display_name: 'Ann', is_bot: false },
    received_at: new Date().toISOString(),
  },
})

await using town = await Town.open()
const program = town.at('listener')
writeFileSync(program, LISTENS, { mode: 0o755 })
const city = await town.city('mill', declaration(program))
const table = new Table()
await town.once(async (wire) => {
  const sessions = async (): Promise<{ id: string; running: boolean }[]> =>
    (await wire.json('GET', `${city}/sessions`)).items
  await took(async () => (await sessions()).some(({ running }) => running))
  const [session] = await sessions()
  await wire.json('POST', `${city}/extmsg/bind`, { conversation: conversation('talk'), session_id: session?.id })
  await nudges(wire)
})
await posted()
await town.once(reads)
table.print('people in messengers')

async function nudges(wire: Wire): Promise<void> {
  const input = town.at('home', 'input')
  const samples: number[] = []
  for (let n = 0; n < NUDGES; n++) {
    const started = performance.now()
    await wire.json('POST', `${city}/extmsg/inbound`, message(`n${n}`, 'talk'))
    while (!existsSync(input) || !readFileSync(input, 'utf8').includes(`message n${n}.`)) {
      if (performance.now() - started > 20_000) throw new Error(`message n${n} did not reach the session`)
      await Bun.sleep(1)
    }
    samples.push(performance.now() - started)
    await Bun.sleep(PAUSE_MS)
  }
  table.row('posted → in the input of a session', both(samples), 'p50 < 150 ms', at(samples, 0.5) < 150)
}

/** Messages of a conversation whose session is gone: nothing is typed, each is on disk when it is answered. */
async function posted(): Promise<void> {
  const samples: number[] = []
  const conversations = Array.from({ length: CLIENTS }, (_, n) => `post-${n}`)
  const began = performance.now()
  await Promise.all(
    conversations.map((id) =>
      town.once(async (wire) => {
        await wire.json('POST', `${city}/extmsg/bind`, { conversation: conversation(id), session_id: 'gone' })
        for (let n = 0; n < POSTED / CLIENTS; n++) {
          const started = performance.now()
          await wire.json('POST', `${city}/extmsg/inbound`, message(`p${n}`, id))
          samples.push(performance.now() - started)
        }
      }),
    ),
  )
  const rate = Math.round((samples.length / (performance.now() - began)) * 1000)
  say(`${samples.length} messages of ${CLIENTS} adapters: ${rate} a second`)
  table.row(`a message on disk, ${CLIENTS} adapters at once`, both(samples))
}

async function reads(wire: Wire): Promise<void> {
  const query = new URLSearchParams({ ...conversation('post-1'), limit: '100', order: 'desc' })
  const samples: number[] = []
  for (let n = 0; n < READS; n++) {
    const started = performance.now()
    await wire.json('GET', `${city}/extmsg/transcript?${query}`)
    samples.push(performance.now() - started)
  }
  table.row(`the last 100 messages, of ${POSTED} in all`, both(samples), 'p99 < 5 ms', at(samples, 0.99) < 5)
}
