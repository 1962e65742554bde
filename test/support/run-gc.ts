import type { World } from './world.ts'

/** Runs a command against the supervisor of a world; `program` is what the supervisor was started with. */
export async function runGc(
  { program, folder, home, url }: World,
  ...args: string[]
): Promise<{ status: number; out: string; err: string }> {
  const child = Bun.spawn([...program, ...args], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, HOME: folder.at('user'), GC_HOME: home, GC_URL: url },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { status, out, err }
}
