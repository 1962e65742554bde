import type { Client } from '../src/client/client.ts'
import type { Effect } from './state.ts'

/** Carries out a command; resolves with the sentence that says what was done. */
export async function run(client: Client, { asked, city: name, session }: Effect & { do: 'run' }): Promise<string> {
  const city = client.city(name)
  const verb = asked.command.name
  if (verb === 'sling') return sling(client, name, asked.rest)
  const params = { id: session ?? '' }
  if (verb === 'send') {
    await city.call('POST ~/session/{id}/submit', { params, body: { message: asked.rest } })
    return `sent to ${session}`
  }
  if (verb === 'answer') {
    await city.call('POST ~/session/{id}/respond', { params, body: { action: asked.rest } })
    return `${session} has its answer: ${asked.rest}`
  }
  await city.send(`POST ~/session/{id}/${verb}`, { params })
  return `${verb}: ${session}`
}

/** A new piece of work for an agent. */
async function sling(client: Client, name: string, rest: string): Promise<string> {
  const [target = '', ...words] = rest.split(' ')
  const { bead } = await client.city(name).call('POST ~/sling/text', { body: { target, title: words.join(' ') } })
  return `${bead} slung to ${target}`
}
