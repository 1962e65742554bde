import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { human } from '../../../src/http/guard.ts'
import { until } from '../../support/until.ts'
import { CityWorld } from './world.ts'

/** An agent that writes its prompt to a file. */
const MAYOR = `
[[agent]]
name = "mayor"
prompt_template = "prompts/mayor.template.md"
append_fragments = ["rules"]
prompt_mode = "arg"
start_command = '''printf %s "$1" > "$GC_CITY/prompt"; exec sleep 600'''
`
const RULES = '{{define "rules"}}Rules of {{.CityName}} for {{.AgentName}}.{{end}}{{define "who"}}the mayor{{end}}'

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

async function started(files: Record<string, string>): Promise<CityWorld> {
  const world = new CityWorld()
  world.declare(MAYOR)
  for (const [name, text] of Object.entries(files)) put(world.folder.at('city', name), text)
  await world.up()
  await world.city.sessions.creating.create(human, { kind: 'agent', name: 'mayor', alias: 'boss' })
  await world.event('session.woke')
  return world
}

describe('a session', () => {
  test('starts with its rendered prompt and the fragments behind it', async () => {
    await using world = await started({
      'prompts/mayor.template.md': '---\nversion: 1\n---\nYou are {{template "who" .}} {{.AgentName}}{{.Nothing}}.\n',
      'template-fragments/rules.template.md': RULES,
    })
    const file = world.folder.at('city', 'prompt')
    await until(() => existsSync(file) && readFileSync(file, 'utf8').includes('Rules'))
    expect(readFileSync(file, 'utf8').split('\n\n').slice(1)).toEqual([
      'You are the mayor boss.',
      'Rules of mill for boss.',
    ])
    expect(await world.city.sessions.reading.prompt('boss')).toEqual({
      agent: 'mayor',
      content: 'You are the mayor boss.\n\nRules of mill for boss.',
      warnings: [],
    })
  })

  test('starts with the raw text when the template has an error, and reports it', async () => {
    await using world = await started({ 'prompts/mayor.template.md': 'You are {{template "who" .}}.' })
    const warning = 'prompts/mayor.template.md, line 1: there is no template "who"; the text is used as it is written'
    const failed = await world.event('worker.operation', ({ payload }) => Object(payload).result === 'failed')
    expect(failed.payload).toMatchObject({ operation: 'start', error: warning })
    const { content, warnings } = await world.city.sessions.reading.prompt('boss')
    expect(content).toBe('You are {{template "who" .}}.')
    expect(warnings[0]).toBe(warning)
  })

  test('is shown for an agent without a session as its next one would have it', async () => {
    await using world = await started({ 'prompts/mayor.template.md': 'You are {{.AgentName}}.' })
    put(
      world.folder.at('city', 'agents/clerk/agent.toml'),
      'start_command = "cat"\nwork_dir = "desks/{{.AgentBase}}"\n',
    )
    put(world.folder.at('city', 'agents/clerk/prompt.template.md'), '{{.AgentName}} at {{basename .WorkDir}}')
    await world.city.config.reload()
    const head = world.city.log.head
    const { reading } = world.city.sessions
    expect(await reading.prompt('clerk')).toEqual({ agent: 'clerk', content: 'clerk at clerk', warnings: [] })
    expect((await reading.prompt('mayor')).content).toBe('You are boss.')
    await expect(reading.prompt('nobody')).rejects.toMatchObject({ code: 'session-not-found' })
    expect(world.city.log.after(head, 10)).toEqual([])
  })

  test('is shown for an instance of a pool under the name of the instance, before it ever ran', async () => {
    await using world = await started({ 'prompts/mayor.template.md': 'You are {{.AgentName}}.' })
    const pool = 'start_command = "cat"\nnamepool = ["ada"]\n'
    put(world.folder.at('city', 'agents/coder/agent.toml'), `${pool}max_active_sessions = 3\n`)
    put(world.folder.at('city', 'agents/coder/prompt.template.md'), '{{.AgentName}} of {{.TemplateName}}')
    await world.city.config.reload()
    const { reading } = world.city.sessions
    const written = { ada: 'ada', 'coder-1': 'ada', 'coder-2': 'coder-2', 'coder-3/': 'coder-3', 'coder/': 'coder' }
    for (const [token, name] of Object.entries(written)) {
      expect(await reading.prompt(token)).toEqual({ agent: 'coder', content: `${name} of coder`, warnings: [] })
    }
    for (const none of ['coder-0', 'coder-4', 'nobody-1']) {
      await expect(reading.prompt(none)).rejects.toMatchObject({ code: 'session-not-found' })
    }
  })

  test('of a pool knows itself as the instance it is, and works in a folder of its own', async () => {
    await using world = await started({ 'prompts/mayor.template.md': 'You are {{.AgentName}}.' })
    const desks = 'work_dir = "desks/{{.AgentBase}}"\nmin_active_sessions = 2\nmax_active_sessions = 2\n'
    const writes = `start_command = 'printf %s "$1" > prompt; exec sleep 600'\nprompt_mode = "arg"\n`
    put(world.folder.at('city', 'agents/coder/agent.toml'), `namepool = ["ada"]\n${desks}${writes}`)
    put(world.folder.at('city', 'agents/coder/prompt.template.md'), 'You are {{.AgentName}} at {{.WorkDir}}.')
    await world.city.config.reload()
    for (const name of ['ada', 'coder-2']) {
      const desk = world.folder.at('city', 'desks', name)
      const file = join(desk, 'prompt')
      await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('.'))
      expect(readFileSync(file, 'utf8')).toEndWith(`\n\nYou are ${name} at ${desk}.`)
    }
    expect((await world.city.sessions.reading.prompt('coder-1')).content).toContain('You are ada at ')
  })

  test('is drained when a fragment changes that its prompt uses, and by no other', async () => {
    await using world = await started({
      'prompts/mayor.template.md': 'You are {{template "who" .}}.',
      'template-fragments/rules.template.md': RULES,
    })
    const { config, sessions } = world.city
    put(world.folder.at('city', 'template-fragments/other.template.md'), '{{define "unused-words"}}{{end}}')
    await config.reload()
    expect(sessions.reading.drifts().items).toEqual([])
    put(world.folder.at('city', 'template-fragments/rules.template.md'), `${RULES} `)
    await config.reload()
    expect(sessions.reading.drifts().items).toMatchObject([{ template: 'mayor', fields: ['fragments'] }])
  })
})
