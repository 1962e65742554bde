/** The services of a city, as far as adapters are among them. */
export interface AdapterServices {
  /** The socket of a service; undefined while it is not ready, or there is none. */
  socketOf(name: string): string | undefined
}
