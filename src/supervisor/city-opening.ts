import { errorMessage } from '../core/errors.ts'
import type { CitiesDependencies } from './cities-dependencies.ts'
import type { CityEntry } from './city-entry.ts'

type OpeningDependencies = Pick<CitiesDependencies, 'open' | 'onChange' | 'onOpened' | 'report'>

/** Opens a registered city once what it was before is closed. A city that cannot be opened has the reason as its error. */
export async function openEntry(
  entry: CityEntry,
  { open, onChange, onOpened, report }: OpeningDependencies,
  isRegistered: () => boolean,
): Promise<void> {
  entry.error = undefined
  entry.phase = undefined
  entry.done = []
  await entry.closed
  try {
    const city = await open({
      name: entry.name,
      path: entry.path,
      phase: (phase) => {
        if (entry.phase) entry.done.push(entry.phase)
        entry.phase = phase
      },
    })
    if (!isRegistered()) return await city.close({ endSessions: true })
    entry.city = city
    onChange()
    onOpened(entry.name)
  } catch (error) {
    entry.error = errorMessage(error)
    report(`city ${entry.name} could not be started: ${entry.error}`)
  }
}
