import type { Action } from './page.ts'

/** Puts a text on the clipboard of the terminal. */
export const copy = (key: string, name: string, what: string, text: string | undefined): Action => ({
  key,
  name,
  help: `copy ${what}`,
  disabled: text ? undefined : `there is nothing to copy as ${what}`,
  run: async () => ({ text: `copied ${what}`, copy: text ?? '' }),
})
