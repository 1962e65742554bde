import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { type Deadline, Deadlines } from '../../../src/core/deadlines.ts'
import { createSocial } from '../../../src/social/social.ts'
import { TestClock } from '../../support/clock.ts'
import { tempFolder } from '../../support/folder.ts'

const unused = () => {}

/** The files in a folder that this process has open, if the system lists them. */
function openFiles(folder: string): string[] {
  if (!existsSync('/proc/self/fd')) return []
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`)
      return path.startsWith(folder) ? [path] : []
    } catch {
      return []
    }
  })
}

/** Deadlines that cannot be set while they fail, and a count of those that are pending. */
class FailingDeadlines extends Deadlines {
  isFailing = true
  pending = 0

  override after(ms: number, run: () => unknown): Deadline {
    return this.#counted(() => super.after(ms, run))
  }

  override interval(ms: number, run: () => unknown): Deadline {
    return this.#counted(() => super.interval(ms, run))
  }

  #counted(start: () => Deadline): Deadline {
    if (this.isFailing) throw new Error('no more timers')
    const deadline = start()
    this.pending += 1
    const cancel = () => {
      this.pending -= 1
      deadline.cancel()
    }
    return { due: deadline.due, cancel }
  }
}

const listener = { host: '127.0.0.1', isOwn: true, url: () => 'http://localhost' }

describe('opening the network', () => {
  test('releases the database when a later step fails, so that a retry opens it', async () => {
    using folder = tempFolder()
    const clock = new TestClock()
    const deadlines = new FailingDeadlines(clock, clock)
    const options = { home: folder.path, clock, deadlines, listener, report: unused }
    await expect(createSocial(options)).rejects.toThrow('no more timers')
    expect(openFiles(folder.path)).toEqual([])
    deadlines.isFailing = false
    const social = await createSocial(options)
    expect(deadlines.pending).toBeGreaterThan(0)
    await social.close()
    expect([openFiles(folder.path), deadlines.pending]).toEqual([[], 0])
    deadlines.close()
  })

  test('releases the database when the website cannot be created', async () => {
    using folder = tempFolder()
    const clock = new TestClock()
    const deadlines = new Deadlines(clock, clock)
    const options = { home: folder.path, clock, deadlines, listener, report: unused }
    const website = () => {
      throw new Error('no website')
    }
    await expect(createSocial({ ...options, website })).rejects.toThrow('no website')
    expect(openFiles(folder.path)).toEqual([])
    const social = await createSocial(options)
    await social.close()
    expect(openFiles(folder.path)).toEqual([])
    deadlines.close()
  })
})
