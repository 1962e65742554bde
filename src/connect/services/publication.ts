import type { ServiceConfig } from '../../config/services/index.ts'
import { mountOf } from './mount.ts'

/** Public address of a service, or the reason there is none. */
export interface Publication {
  readonly state: 'private' | 'direct' | 'blocked'
  readonly visibility: ServiceConfig['visibility']
  readonly reason?: string
  readonly url?: string
}

/** A direct service is reached through the public listener; gc knows no platform that would publish others. */
export function publicationOf(service: ServiceConfig, city: string, publicUrl: string | undefined): Publication {
  const { visibility, publishMode, name } = service
  if (publishMode === 'direct') {
    if (publicUrl === undefined) return { state: 'blocked', visibility, reason: 'direct_base_url_unavailable' }
    return { state: 'direct', visibility, reason: 'route_active', url: `${publicUrl}${mountOf(city, name)}` }
  }
  if (visibility === 'private') return { state: 'private', visibility }
  return { state: 'blocked', visibility, reason: 'publication_provider_unsupported' }
}
