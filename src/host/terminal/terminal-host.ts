/** Screen that a person attached to the terminal would read now. */
export interface TerminalScreen {
  lines: string[]
  cols: number
  /** Column and row, counted from the first of `lines`. */
  cursor: { x: number; y: number }
  /** True if the program asked that pasted text be marked as such. */
  bracketedPaste: boolean
  /** The colours of a cell; absent where only the text of the screen is at hand. */
  colours?(x: number, y: number): CellColours
}

/** The colours of a cell, each a number that is the same for the same colour. */
export interface CellColours {
  text: number
  ground: number
}

/** Functions of the session host that readiness and delivery need. */
export interface TerminalHost {
  screen(key: string): Promise<TerminalScreen>
  write(key: string, bytes: Uint8Array): Promise<unknown>
  onOutput(key: string, listener: () => void): () => void
  onExit(listener: (exit: { key: string }) => void): () => void
}
