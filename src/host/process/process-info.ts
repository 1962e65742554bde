/** One process, as the system lists it. */
export interface Process {
  pid: number
  parent: number
  group: number
  /** The leader of its terminal session; 0 where the system does not tell. */
  session: number
  /** Its controlling terminal; empty without one. */
  terminal: string
  /** The group in that terminal's foreground; 0 or less without one. */
  foreground: number
  /** Start time: with the pid it identifies one process permanently, even across reboots. */
  started: string
  /** Has ended and only waits for its parent to ask how. */
  zombie: boolean
  command: string
}
