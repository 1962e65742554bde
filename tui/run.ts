import type { CityClient, Client } from '../src/client/client.ts'
import type { Effect } from './state/reducer.ts'

/** Carries out a command; resolves with the sentence that says what was done. */
export async function runCommand(
  client: Client,
  { line, city: name, session }: Effect & { type: 'run' },
): Promise<string> {
  const city = client.city(name)
  const { definition: command, rest } = line
  const params = { id: session ?? '' }
  switch (command.name) {
    case 'city':
    case 'quit':
      return ''
    case 'sling':
      return sling(city, rest)
    case 'send':
      await city.call('POST ~/session/{id}/submit', { params, body: { message: rest } })
      return `Sent to ${session}.`
    case 'answer':
      await city.call('POST ~/session/{id}/respond', { params, body: { action: rest } })
      return `Answered ${session} with ${rest}.`
    default:
      await city.call(`POST ~/session/{id}/${command.name}`, { params })
      return `${command.name}: ${session}`
  }
}

/** Slings a new piece of work to an agent. */
async function sling(city: CityClient, rest: string): Promise<string> {
  const [target = '', ...words] = rest.split(' ')
  const { bead } = await city.call('POST ~/sling/text', { body: { target, title: words.join(' ') } })
  return `${bead} is slung to ${target}.`
}
