import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import {
  ConvoyKey,
  EngineKey,
  GateKey,
  LaunchKey,
  MailKey,
  OrderKey,
  ResultKey,
  VARIABLE_PREFIX,
  WorkflowKey,
  WorkKey,
} from '../../src/work/metadata.ts'

const groups = [WorkKey, WorkflowKey, EngineKey, ResultKey, LaunchKey, ConvoyKey, GateKey, OrderKey, MailKey]
const keys: readonly string[] = groups.flatMap((group) => Object.values(group))

/** An event type, or the contract of a service, which may read like a key. */
const EVENT_TYPE = /\bdefineEvent\(\s*'[^']*'|'gc\.[a-z]+\.v\d'/g

describe('metadata keys', () => {
  test('each is named once', () => {
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('no other file of src spells one that has a prefix', async () => {
    const prefixed = keys.filter((key) => key.includes('.'))
    const spellings: string[] = []
    for await (const path of new Glob('src/**/*.ts').scan('.')) {
      if (path === 'src/work/metadata.ts') continue
      const source = (await Bun.file(path).text()).replaceAll(EVENT_TYPE, '')
      for (const key of prefixed) {
        if (["'", '"'].some((quote) => source.includes(`${quote}${key}${quote}`))) spellings.push(`${path}: ${key}`)
      }
    }
    expect(spellings).toEqual([])
  })

  test('no file of src uses a gc key that is not named', async () => {
    const unnamed: string[] = []
    for await (const path of new Glob('src/**/*.ts').scan('.')) {
      const source = (await Bun.file(path).text()).replaceAll(EVENT_TYPE, '')
      for (const [, key = ''] of source.matchAll(/["'](gc\.[a-z][\w.]*)["']/g)) {
        if (!keys.includes(key) && key !== VARIABLE_PREFIX) unnamed.push(`${path}: ${key}`)
      }
    }
    expect(unnamed).toEqual([])
  })
})
