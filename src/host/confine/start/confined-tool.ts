import { homedir } from 'node:os'
import { confinedArgv } from '../confined-command.ts'
import { landlockVersion } from '../landlock.ts'
import { makePolicy } from './default-policy.ts'
import { sandboxedArgv } from './sandbox-profile.ts'

/** The folders that a tool of gc is confined to, besides the system and its own program. */
export interface ToolFolders {
  read: readonly string[]
  write: readonly string[]
}

/** The words that start a program confined to folders, without network and without anybody to ask. */
export type ConfineTool = (program: string, args: readonly string[], folders: ToolFolders) => string[]

const canConfine = (): boolean =>
  process.platform === 'darwin' || (process.platform === 'linux' && landlockVersion() > 0)

/**
 * Sandbox of gc's own commands on files that agents wrote; undefined if this system has none. `gc` starts this program.
 */
export function confineTool(gc: readonly string[]): ConfineTool | undefined {
  if (!canConfine()) return undefined
  return (program, args, folders) => {
    const policy = makePolicy({ home: homedir(), program, ...folders, network: 'none' })
    const words = [program, ...args]
    return process.platform === 'darwin'
      ? sandboxedArgv(policy, program, words)
      : confinedArgv(gc, policy, program, words)
  }
}
