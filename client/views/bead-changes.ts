import type { CityClient } from '../../src/client/client.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import type { Outcome, Reach } from './page.ts'

/** Field of a bead that a person changes, one at a time. */
type Field = 'title' | 'description' | 'priority' | 'assignee'

const fieldOf = (bead: Bead, field: Field): string => String(bead[field] ?? '')

const read = (city: CityClient, id: string): Promise<Bead> => city.call('GET ~/bead/{id}', { params: { id } })

async function write(city: CityClient, id: string, field: Field, value: string): Promise<void> {
  const params = { id }
  if (field === 'assignee') await city.call('POST ~/bead/{id}/assign', { params, body: { assignee: value } })
  else await city.call('PATCH ~/bead/{id}', { params, body: { [field]: field === 'priority' ? Number(value) : value } })
}

/**
 * Changes what a person has read and edited. What somebody else has changed since is never written over, neither by the
 * change nor when it is undone.
 */
export async function change({ city }: Reach, seen: Bead, field: Field, value: string): Promise<Outcome> {
  const { id } = seen
  const before = fieldOf(seen, field)
  if (fieldOf(await read(city, id), field) !== before)
    throw new Error(
      `the ${field} of ${id} has changed since you opened it; nothing was saved: press esc, check it, edit it again`,
    )
  if (value === before) return { text: `the ${field} of ${id} is as it was` }
  await write(city, id, field, value)
  const after = fieldOf(await read(city, id), field)
  const text = `the ${field} of ${id} is ${wordsOf(field, after)}`
  // A priority cannot be removed.
  return field === 'priority' && before === ''
    ? { text }
    : { text, undo: { name: field, run: takeBack(id, field, before, after) } }
}

const takeBack =
  (id: string, field: Field, before: string, after: string) =>
  async ({ city }: Reach): Promise<Outcome> => {
    if (fieldOf(await read(city, id), field) !== after)
      throw new Error(`the ${field} of ${id} has changed since; nothing was undone`)
    await write(city, id, field, before)
    return { text: `the ${field} of ${id} is ${wordsOf(field, before)} again` }
  }

const MAX_WORDS = 40

/** `"Paint the bridge"`; of a text of several lines, its first. */
function wordsOf(field: Field, value: string): string {
  const [first = '', ...rest] = value.trim().split('\n')
  if (first === '') return field === 'assignee' ? 'nobody' : 'empty'
  return rest.length > 0 || first.length > MAX_WORDS ? `"${first.slice(0, MAX_WORDS)}…"` : `"${first}"`
}

/** Adds labels, and removes those after a dash. Undo reverts only what it changed. */
export async function changeLabels({ city }: Reach, id: string, words: string): Promise<Outcome> {
  const all = words.split(/[\s,]+/).filter((word) => word !== '' && word !== '-')
  const { labels = [] } = await read(city, id)
  const added = all.filter((word) => !word.startsWith('-') && !labels.includes(word))
  const removed = all.flatMap((word) => (word.startsWith('-') && labels.includes(word.slice(1)) ? [word.slice(1)] : []))
  if (added.length + removed.length === 0) return { text: `the labels of ${id} are as they were` }
  await writeLabels(city, id, added, removed)
  return {
    text: `${id} is labelled: ${[...added.map((label) => `+${label}`), ...removed.map((label) => `-${label}`)].join(' ')}`,
    undo: {
      name: 'label',
      run: async (reach) => {
        await writeLabels(reach.city, id, removed, added)
        return { text: `the labels of ${id} are as they were` }
      },
    },
  }
}

const writeLabels = (city: CityClient, id: string, labels: readonly string[], removed: readonly string[]) =>
  city.call('PATCH ~/bead/{id}', { params: { id }, body: { labels: [...labels], remove_labels: [...removed] } })
