import { createHash } from 'node:crypto'
import type { ServiceConfig } from '../../config/services/service.ts'
import { mountOf } from './mount.ts'
import type { ServicePaths } from './paths.ts'
import type { Publication } from './publication.ts'
import { publishedFolder } from './published.ts'

export interface ServiceSurroundings {
  readonly city: string
  /** The city's folder. */
  readonly path: string
  /** What every command of the city gets. */
  readonly base: Readonly<Record<string, string | undefined>>
  readonly url: string
}

/** The environment of the process of a service, but for its token. */
export function serviceEnvironment(
  service: ServiceConfig,
  paths: ServicePaths,
  { visibility, url: publicUrl = '' }: Publication,
  { city, path, base, url }: ServiceSurroundings,
): Record<string, string> {
  const inherited = Object.entries(base).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))
  return {
    ...Object.fromEntries(inherited),
    ...(service.pack !== undefined && { GC_PACK_NAME: service.pack, GC_PACK_DIR: service.folder }),
    GC_API_BASE_URL: url,
    GC_SERVICE_NAME: service.name,
    GC_SERVICE_SOCKET: paths.socket,
    GC_SERVICE_STATE_ROOT: paths.stateRoot,
    GC_SERVICE_SECRETS_DIR: paths.secrets,
    GC_SERVICE_RUN_ROOT: paths.run,
    GC_SERVICE_URL_PREFIX: mountOf(city, service.name),
    GC_SERVICE_PUBLIC_URL: publicUrl,
    GC_SERVICE_VISIBILITY: visibility,
    GC_PUBLISHED_SERVICES_DIR: publishedFolder(path),
  }
}

/** What a process is started with; when that changes it is started anew. */
export function fingerprintOf(service: ServiceConfig, { url }: Publication): string {
  const { block: _, broken: __, responseTimeout: ___, ...declared } = service
  return createHash('sha256')
    .update(JSON.stringify([declared, url ?? '']))
    .digest('hex')
}
