import { newBead } from './bead-actions.ts'
import { writeMail } from './mail.ts'
import type { Action } from './page.ts'
import { searchSessions } from './search.ts'
import { slingFormula, slingText } from './sling-actions.ts'

/** Actions by name on every page of a city. */
export const cityActions: readonly Action[] = [slingText(), slingFormula(), newBead, writeMail, searchSessions]
