/** An API whose key stays with gc. */
export interface KeyedApi {
  name: string
  /** The places of its keys; the first that exists is used. */
  keys: readonly KeyPlace[]
  /** The variable that leads to another address than the usual one. */
  address?: string
  usual: string
  /** The variables that the program is given instead. */
  env: Readonly<Record<string, string>>
  /** Arguments of the program, behind the words of its command. */
  args?: readonly string[]
  /** Added to the configuration of a program that has no such variables. */
  config?: Readonly<Record<string, unknown>>
}

/** The variable in which a key is found, and the header of requests that it goes into. */
export interface KeyPlace {
  variable: string
  header: string
  prefix?: string
}

export const bearer = (variable: string): KeyPlace => ({ variable, header: 'authorization', prefix: 'Bearer ' })
export const anthropicKey = (variable: string): KeyPlace => ({ variable, header: 'x-api-key' })
export const googleKey = (variable: string): KeyPlace => ({ variable, header: 'x-goog-api-key' })
