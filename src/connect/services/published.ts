import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { claimFolder, requireNoLinks } from '../../core/folders.ts'
import { writePrivateFile } from '../../core/private-file.ts'
import type { Publication } from './publication.ts'

/** Folder with the addresses of a city's services for its programs: `GC_PUBLISHED_SERVICES_DIR`. */
export const publishedFolder = (city: string): string => join(city, '.gc', 'services', '.published')

/** A service as described by its file. */
interface PublishedService {
  service_name: string
  /** True if other machines reach it. */
  published: boolean
  visibility: string
  current_url?: string
  /** Number of changes of the address. */
  url_version: number
}

const ENDING = '.json'

/** Writes a file for each service of a city, `<name>.json`, and takes away those of services that are gone. */
export async function writePublished(city: string, services: ReadonlyMap<string, Publication>): Promise<void> {
  const folder = publishedFolder(city)
  requireNoLinks(city, folder)
  if (services.size === 0 && !existsSync(folder)) return
  claimFolder(folder)
  for (const [name, publication] of services) await writeOne(join(folder, `${name}${ENDING}`), name, publication)
  for (const file of readdirSync(folder)) {
    if (file.endsWith(ENDING) && !services.has(file.slice(0, -ENDING.length))) rmSync(join(folder, file))
  }
}

async function writeOne(path: string, name: string, { visibility, url }: Publication): Promise<void> {
  const before = read(path)
  const { current_url: known, url_version: version } = parse(before)
  const service: PublishedService = {
    ...{ service_name: name, published: url !== undefined, visibility },
    ...(url !== undefined && { current_url: url }),
    url_version: url === undefined || url === known ? version : version + 1,
  }
  const text = `${JSON.stringify(service, null, 2)}\n`
  if (text !== before) await writePrivateFile(path, text)
}

const read = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')

/** Address in a file; undefined if gc did not write it. */
function parse(text: string): Pick<PublishedService, 'current_url' | 'url_version'> {
  try {
    const { current_url: url, url_version: version } = Object(JSON.parse(text))
    return {
      ...(typeof url === 'string' && { current_url: url }),
      url_version: Number.isSafeInteger(version) ? Number(version) : 0,
    }
  } catch {
    return { url_version: 0 }
  }
}
