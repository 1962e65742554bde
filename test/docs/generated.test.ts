import { expect, test } from 'bun:test'
import { generatePages } from '../../scripts/docs/pages.ts'
import { readDocument } from './words.ts'

const pages = await generatePages()

test.each([...pages.keys()])('docs/%s is what the code generates; `npm run docs` renews it', (name) => {
  expect(readDocument(`docs/${name}`) === pages.get(name)).toBe(true)
})
