import type { Command } from 'commander'
import { usageError } from '../io/exit.ts'
import { kindsOf } from './kinds.ts'

/**
 * Throws when a name on the command line is empty, as that of a variable which is not set: what is left out there is
 * chosen by gc, and it would act on something else.
 */
export function rejectEmptyNames(command: Command): void {
  const given: unknown[] = command.processedArgs
  for (const [at, argument] of command.registeredArguments.entries()) {
    const words = [given[at]].flat()
    const isName = kindsOf(argument.name()).length > 0
    const isNeeded = argument.required && (isName || !argument.variadic)
    if (words.includes('') && (isNeeded || argument.name() === 'city')) {
      throw usageError(`<${argument.name()}> is empty; is a variable not set?`)
    }
  }
}
