import type { ServiceRow } from './table.ts'

/** A service may speak to a messenger for the city. */
export const MAY = ['connect'] as const

/** As events name what it does. */
export const tokenName = (service: string): string => `service ${service}`

/** Each start of a service has a name of its own in the session host. */
export const nameOf = ({ name, runs }: ServiceRow): string => `${name}/${runs}`
