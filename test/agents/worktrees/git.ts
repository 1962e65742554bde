/** The environment of a person without settings of git. */
export const env = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
}

/** Runs git in a folder as a person without settings; returns its output, and throws where it fails. */
export function git(cwd: string, ...words: string[]): string {
  const ran = Bun.spawnSync(['git', '-C', cwd, ...words], { env })
  if (ran.exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${ran.stderr}`)
  return ran.stdout.toString().trim()
}
