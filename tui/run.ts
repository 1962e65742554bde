import type { CityClient, Client } from '../src/client/client.ts'
import type { Effect } from './state/reducer.ts'

/** Carries out a command; resolves with the sentence that says what was done. */
export async function runCommand(
  client: Client,
  { asked, city: name, session }: Effect & { do: 'run' },
): Promise<string> {
  const city = client.city(name)
  const { command, rest } = asked
  const params = { id: session ?? '' }
  switch (command.name) {
    case 'city':
    case 'quit':
      return ''
    case 'sling':
      return sling(city, rest)
    case 'send':
      await city.call('POST ~/session/{id}/submit', { params, body: { message: rest } })
      return `sent to ${session}`
    case 'answer':
      await city.call('POST ~/session/{id}/respond', { params, body: { action: rest } })
      return `${session} has its answer: ${rest}`
    default:
      await city.call(`POST ~/session/{id}/${command.name}`, { params })
      return `${command.name}: ${session}`
  }
}

/** A new piece of work for an agent. */
async function sling(city: CityClient, rest: string): Promise<string> {
  const [target = '', ...words] = rest.split(' ')
  const { bead } = await city.call('POST ~/sling/text', { body: { target, title: words.join(' ') } })
  return `${bead} slung to ${target}`
}
