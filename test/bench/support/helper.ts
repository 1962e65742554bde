/** A bench file run again as a process of its own that plays a part; it is ended with its scope. */
export function helper(file: string, ...args: string[]) {
  const child = Bun.spawn([process.execPath, file, ...args], { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' })
  return {
    pid: child.pid,
    /** The first line it writes. */
    async firstLine(): Promise<string> {
      for await (const chunk of child.stdout) return new TextDecoder().decode(chunk).trim()
      throw new Error(`${args.join(' ')} said nothing`)
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
