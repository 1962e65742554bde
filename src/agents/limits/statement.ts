/** What a program says of the usage limit that it reached. */
export interface LimitStatement {
  /** When the limit ends; undefined when the program does not say. */
  readonly until: number | undefined
  /** What it says, in its own words. */
  readonly text: string
}
