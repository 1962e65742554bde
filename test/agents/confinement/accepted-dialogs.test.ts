import { expect, test } from 'bun:test'
import { mkdirSync, statSync } from 'node:fs'
import { AcceptanceRecorder, acceptedDialogs, trustsRig } from '../../../src/agents/confinement/accepted-dialogs.ts'
import { firstRunFiles } from '../../../src/agents/confinement/private-home.ts'
import type { QuestionRow } from '../../../src/agents/questions/table.ts'
import { human } from '../../../src/http/guard.ts'
import { scriptedTown } from '../../support/city.ts'
import { tempFolder } from '../../support/folder.ts'
import { until } from '../../support/until.ts'

const CLONE = { template: 'shop/ann', rig: 'shop', workDir: '/city/.gc/worktrees/shop/a' }
const OTHER_CLONE = { ...CLONE, workDir: '/city/.gc/worktrees/shop/b' }

const answered = (kind: string, role: string, by = 'screen', actor = 'human') =>
  ({
    by,
    question: { kind },
    choice: { id: '1', label: 'Yes', role },
    actor: { kind: actor, name: actor },
  }) as QuestionRow

test('a dialog accepted in one session of an agent is accepted in its others, and no other dialog is', async () => {
  using folder = tempFolder()
  mkdirSync(folder.at('.gc'))
  const recorder = new AcceptanceRecorder(folder.path, (message) => expect(message).toBe(''))
  for (const row of [
    answered('trust', 'deny'),
    answered('approval', 'allow-always'),
    answered('trust', 'allow-once', 'agent'),
    answered('trust', 'allow-once', 'screen', 'session'),
    answered('permissions', 'allow-once', 'screen', 'gc'),
  ])
    recorder.note(row, CLONE)
  recorder.note(answered('permissions', 'allow-once'), undefined)
  recorder.note(answered('permissions', 'allow-once', 'screen', 'operator'), { ...CLONE, template: 'last' })
  await until(() => acceptedDialogs(folder.path, { ...CLONE, template: 'last' }).permissions)
  expect(acceptedDialogs(folder.path, CLONE)).toEqual({ trust: false, permissions: false })

  recorder.note(answered('trust', 'allow-once'), CLONE)
  recorder.note(answered('permissions', 'allow-always'), CLONE)
  await until(() => acceptedDialogs(folder.path, CLONE).permissions)
  expect(acceptedDialogs(folder.path, OTHER_CLONE)).toEqual({ trust: true, permissions: true })
  expect(acceptedDialogs(folder.path, { ...CLONE, rig: 'bank' })).toEqual({ trust: false, permissions: true })
  expect(acceptedDialogs(folder.path, { ...CLONE, template: 'bob' })).toEqual({ trust: true, permissions: false })
  const elsewhere = { ...CLONE, rig: '', workDir: '/city/bob' }
  expect(acceptedDialogs(folder.path, { ...elsewhere, template: 'bob' }).trust).toBe(false)
  expect(statSync(folder.at('.gc/accepted-dialogs.json')).mode & 0o777).toBe(0o600)
})

test('a rig is trusted for sessions that nothing confines once a person said so in one of them', async () => {
  using folder = tempFolder()
  mkdirSync(folder.at('.gc'))
  const recorder = new AcceptanceRecorder(folder.path, (message) => expect(message).toBe(''))
  recorder.note(answered('trust', 'allow-once'), { ...CLONE, confined: 'default' })
  await until(() => acceptedDialogs(folder.path, CLONE).trust)
  expect(trustsRig(folder.path, CLONE)).toBe(false)
  recorder.note(answered('trust', 'allow-once'), { ...CLONE, template: 'shop/bob', confined: 'off' })
  await until(() => trustsRig(folder.path, CLONE))
  expect(trustsRig(folder.path, { ...CLONE, rig: 'bank' })).toBe(false)
})

test('a rig that a person trusts as a whole is trusted in its folder, until nothing of it is any more', async () => {
  await using town = scriptedTown()
  const [shop, other] = [town.folder.at('shop'), town.folder.at('other')]
  for (const path of [shop, other]) mkdirSync(path)
  town.declare(`[[rigs]]\nname = "shop"\npath = "${shop}"\n[[rigs]]\nname = "bank"\npath = "${other}"\n`)
  const city = await town.open()
  const { head } = city.log
  const isTrusted = (rig: string, folder: string) => [
    trustsRig(town.path, { ...CLONE, rig }, folder),
    acceptedDialogs(town.path, { ...CLONE, rig }, folder).trust,
  ]
  for (const _ of ['once', 'again']) await city.rigTrust.trust(human, 'shop')
  expect(isTrusted('shop', shop)).toEqual([true, true])
  expect(isTrusted('shop', other)).toEqual([false, false])
  expect(isTrusted('bank', other)).toEqual([false, false])
  new AcceptanceRecorder(town.path, () => {}).note(answered('trust', 'allow-once'), { ...CLONE, confined: 'off' })
  await until(() => trustsRig(town.path, CLONE, other))
  await city.rigTrust.distrust(human, 'shop')
  expect(isTrusted('shop', shop)).toEqual([false, false])
  await expect(city.rigTrust.trust(human, 'none')).rejects.toThrow('none')
  expect(city.log.after(head, 10).map(({ type, subject }) => [type, subject])).toEqual([
    ['rig.trusted', 'shop'],
    ['rig.distrusted', 'shop'],
  ])
})

test('the private home of a session begins with what was accepted', () => {
  using folder = tempFolder()
  const begun = (provider: string, accepted: { trust: boolean; permissions: boolean }) =>
    firstRunFiles(provider, { env: {}, home: folder.path, workDir: '/srv/shop', accepted }).map(({ text }) => text)
  const all = { trust: true, permissions: true }
  expect(begun('claude', all)).toEqual([
    '{"projects":{"/srv/shop":{"hasTrustDialogAccepted":true}}}',
    '{"skipDangerousModePermissionPrompt":true}',
  ])
  expect(begun('codex', all)[0]).toContain('[projects."/srv/shop"]\ntrust_level = "trusted"')
  expect(begun('gemini', all)).toEqual(['{"/srv/shop":"TRUST_FOLDER"}'])
  for (const provider of ['claude', 'codex', 'gemini']) {
    expect(begun(provider, { trust: false, permissions: false })).toEqual([])
  }
})
