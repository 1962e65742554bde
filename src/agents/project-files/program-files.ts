import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { McpConnection } from '../../programs/parts/index.ts'
import { runtimeOf } from '../../programs/runtimes.ts'
import type { WantedBuilder } from './wanted.ts'

/** Adds the hooks of gc itself for a program; one without any is a problem. */
export function addOwnHooks(program: string, wanted: WantedBuilder): void {
  const { hooks } = runtimeOf(program)
  if (!hooks) wanted.problems.push(`install_agent_hooks: neither a pack nor gc has hooks for ${program}`)
  for (const part of hooks ?? []) wanted.part(part, 'gc')
}

/** Puts MCP servers into the file in which a program looks for them. */
export function addMcpServers(servers: readonly McpConnection[], family: string, wanted: WantedBuilder): void {
  if (servers.length === 0) return
  const isSecret = servers.some((server) => Object.keys('command' in server ? server.env : server.headers).length > 0)
  const parts = runtimeOf(family).mcp?.(servers, isSecret) ?? []
  for (const part of parts) wanted.part(part, 'the MCP servers of the city and its packs')
}

/** A folder of skills, and what their names begin with in a project. */
export interface SkillFolder {
  readonly folder: string
  readonly prefix: string
}

const NAME = /^[A-Za-z0-9][\w.-]{0,99}$/

/** Links the skills of some folders into a project, for the program that works there; the first of a name stays. */
export async function readSkills(
  folders: readonly SkillFolder[],
  family: string,
  wanted: WantedBuilder,
): Promise<void> {
  const place = runtimeOf(family).skills
  if (place === undefined) return
  for (const { folder, prefix } of folders) {
    const names = await readdir(folder).catch(() => [])
    for (const name of names.filter((each) => NAME.test(each)).sort()) {
      const isSkill = (await stat(join(folder, name, 'SKILL.md')).catch(() => undefined))?.isFile()
      if (isSkill) wanted.link(join(place, `${prefix}${name}`), join(folder, name))
    }
  }
}
