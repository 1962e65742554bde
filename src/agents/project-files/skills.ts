import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { WantedBuilder } from './wanted.ts'

/** Where programs look for skills in a project. */
const FOLDERS: Readonly<Record<string, string>> = {
  claude: '.claude/skills',
  codex: '.agents/skills',
  gemini: '.gemini/skills',
  opencode: '.opencode/skills',
  mimocode: '.mimocode/skills',
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
  const place = Object.hasOwn(FOLDERS, family) ? FOLDERS[family] : undefined
  if (place === undefined) return
  for (const { folder, prefix } of folders) {
    const names = await readdir(folder).catch(() => [])
    for (const name of names.filter((each) => NAME.test(each)).sort()) {
      const isSkill = (await stat(join(folder, name, 'SKILL.md')).catch(() => undefined))?.isFile()
      if (isSkill) wanted.link(join(place, `${prefix}${name}`), join(folder, name))
    }
  }
}
