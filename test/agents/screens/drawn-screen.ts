import { TerminalEmulator } from '../../../src/host/server/terminal-emulator.ts'
import type { TerminalScreen } from '../../../src/host/terminal/terminal-host.ts'

/** The screen, with its colours, on which a program wrote this. */
export async function drawnScreen(bytes: Uint8Array, cols: number, rows: number): Promise<TerminalScreen> {
  const emulator = new TerminalEmulator(cols, rows, { answer() {}, title() {} })
  await new Promise<void>((drawn) => emulator.write(bytes, drawn))
  return { ...emulator.screen(undefined), colours: (x, y) => emulator.colours(x, y) }
}
