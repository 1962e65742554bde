/** The key of a command that a city waits for. */
export const commandKey = (city: string, name: string): string => `${city}:${name}`

/** True if a host runs what has this key for a city: a session of it, or a command. */
export const isKeyOf = (key: string, city: string): boolean => key.startsWith(`${city}/`) || key.startsWith(`${city}:`)
