import { type Access, confinementRisk, placeOf, type Surroundings } from './obstacle.ts'
import type { Grant, Profile, Withheld } from './profile.ts'

/** A path of a profile that cannot be granted, and why. */
export interface Refused {
  readonly grant: Grant
  readonly access: Access
  readonly reason: string
}

/** Files of this machine that a profile allows. */
export interface Places {
  readonly read: readonly string[]
  readonly write: readonly string[]
  readonly refused: readonly Refused[]
}

/**
 * The places that a profile names. `real` follows links: what a path means is decided by where it leads, and that is what is
 * granted. It throws at a link that does not count.
 */
export function placesOf(
  profile: Pick<Profile, 'read' | 'write'>,
  around: Surroundings,
  real: (path: string) => string = (path) => path,
): Places {
  const refused: Refused[] = []
  const granted = (access: Access): string[] =>
    profile[access].flatMap((grant) => {
      const named = placeOf(grant.value, around)
      const place = named && real(named)
      const reason =
        named === undefined || place === undefined
          ? 'the agent has no rig with a folder on this machine'
          : (confinementRisk(named, access, around) ?? confinementRisk(place, access, around))
      if (place !== undefined && reason === undefined) return [place]
      refused.push({ grant, access, reason: reason ?? '' })
      return []
    })
  return { read: granted('read'), write: granted('write'), refused }
}

/** Reason a path is refused, with the line that asks for it. */
export const describeRefused = ({ grant, access, reason }: Refused): string =>
  `${grant.file}:${grant.line} lets it ${access} "${grant.value}", which would void its confinement: ${reason}`

/** Requests of a pack, and how the city can grant them. */
export function describeWithheld({ key, value, pack }: Withheld, agent: string): string {
  const written = inToml(key, value)
  return `pack ${pack} requests "${value}", which is NOT applied: only this city can allow it, with confine = { ${key} = ${written} } in a [[patches.agent]] of "${agent}"`
}

function inToml(key: string, value: string): string {
  if (key === 'ports') return `[${value}]`
  if (key === 'share_login') return value
  return key === 'mode' || key === 'unknown_hosts' ? `"${value}"` : `["${value}"]`
}
