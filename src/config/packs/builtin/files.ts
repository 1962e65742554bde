import { sha256 } from '../../../core/digest.ts'
import { embedPacks } from './embed.ts' with { type: 'macro' }

/** The files of the packs that are part of gc, by path: the pack's name, then the path in it. */
export const BUILTIN_FILES: readonly (readonly [path: string, text: string])[] = embedPacks()

/** Separates the packs of this build from those of others. */
export const BUILTIN_BUILD = sha256(JSON.stringify(BUILTIN_FILES)).slice(0, 16)
