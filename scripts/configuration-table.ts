/** Writes the tables of docs/ and the skills, which are made from code and guides: tsx scripts/configuration-table.ts */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Document, isNode, parseDocument, type Scalar, type YAMLMap } from 'yaml'
import { configKeys } from '../src/core/config/index.ts'
import { withAccessTable } from './access-table.ts'
import { withBounds } from './bounds-table.ts'
import { withConfigurationGroups } from './configuration-pages.ts'
import { withCapabilities } from './drift/capability-table.ts'
import { withPaymentWords } from './drift/payment-words.ts'
import { withErrorTitles } from './error-titles.ts'
import { withFields } from './field-tables.ts'
import { withHookPayloads } from './hook-payloads.ts'
import { withLifecycles, withSituations } from './lifecycle-tables.ts'
import { clientTypes, openapiDocument } from './openapi.ts'
import { withPersonalTables } from './privacy-table.ts'
import { groupsOf } from './prose/measure.ts'
import {
  describeAll,
  withCertified,
  withEvents,
  withLacks,
  withNotes,
  withOverview,
} from './provider-tables.ts'
import { referenceFiles } from './reference-pages.ts'
import { withReportsOfOthers } from './reports-table.ts'
import { writeSkills } from './skills.ts'
import { configurationTypes } from './typed-configuration.ts'

/** Every page by the groups of the site's sidebar, for readers without the site. */
export function contents(): string {
  return [
    '# All pages\n',
    'The groups are those of the sidebar. Guides begin with an example, and the reference has every rule.\n',
    ...groupsOf(join(import.meta.dirname, '..')).map(({ text, pages }) =>
      [
        `## ${text}\n`,
        ...Object.entries(pages)
          .filter(([, page]) => !page.startsWith('api/'))
          .map(([title, page]) => `- [${title}](${page}.md)`),
        '',
      ].join('\n'),
    ),
  ].join('\n')
}

/** Writes the schema's defaults and sentences into the default file. Its other comments stay. */
function withDefaults(text: string): string {
  const file = parseDocument(text)
  for (const { key, default: value, description, isSection } of configKeys()) {
    if (isSection || /^membership\.(plans|providers)/.test(key)) continue
    const path = key.split('.')
    const named = path.findIndex((part) => part.startsWith('{') || part === '[]')
    // Of a group whose names the site chooses, the file shows the empty group and says what may stand in it.
    if (named > 0) {
      const group = path.slice(0, named)
      addMissing(file, group, path[named] === '[]' ? [] : {})
      const groupKey = pairAt(file, group).key
      const line = ` ${path.slice(named).join('.').replace('[].', '')}: ${description}`
      if (!groupKey.commentBefore?.includes(line))
        groupKey.commentBefore = [groupKey.commentBefore, line].filter(Boolean).join('\n')
      continue
    }
    addMissing(file, path, value)
    if (!isDeepStrictEqual(valueAt(file, path), value))
      file.setIn(path, file.createNode(value, { flow: true }))
    // The parser gives the comment above a map's first key to the map.
    const parent = file.getIn(path.slice(0, -1)) as YAMLMap
    if (parent.items[0] === pairAt(file, path)) parent.commentBefore = null
    pairAt(file, path).key.commentBefore = ` ${description}`
  }
  return file.toString({ lineWidth: 0, flowCollectionPadding: false })
}

function addMissing(file: Document, path: readonly string[], value: unknown): void {
  if (file.hasIn(path)) return
  const group = path.slice(0, -1)
  if (!file.hasIn(group)) addMissing(file, group, {})
  ;(file.getIn(group) as YAMLMap).add(file.createPair(path.at(-1), value))
}

function valueAt(file: Document, path: readonly string[]): unknown {
  const found = file.getIn(path)
  return isNode(found) ? found.toJS(file) : found
}

function pairAt(file: Document, path: readonly string[]) {
  return (file.getIn(path.slice(0, -1)) as YAMLMap<Scalar>).items.find(
    (item) => String(item.key) === path.at(-1),
  )!
}

if (process.argv[1]?.endsWith('configuration-table.ts')) {
  const write = async (name: string, change: (text: string) => string | Promise<string>) => {
    const file = join(import.meta.dirname, '..', name)
    writeFileSync(file, await change(readFileSync(file, 'utf8')))
  }
  const described = await describeAll()
  await write('docs/contents.md', contents)
  await write('docs/configuration.md', withConfigurationGroups)
  await write('config/membership.default.yml', withDefaults)
  await write('docs/members.md', withAccessTable)
  await write('docs/errors.md', withErrorTitles)
  await write('docs/reference/what-happens-in-hooks.md', withHookPayloads)
  await write('docs/reference/fields.md', withFields)
  await write('docs/operating.md', (text) => withBounds(text, described))
  await write('docs/privacy.md', withPersonalTables)
  await write('docs/providers/README.md', (text) => withOverview(text, described))
  await write('docs/provider-capabilities.md', (text) =>
    withPaymentWords(withCapabilities(withNotes(text, described), described), described),
  )
  for (const item of described)
    await write(`docs/providers/${item.definition.key}.md`, (text) =>
      withEvents(
        withSituations(withCertified(withLacks(text, item), item), item.definition.key),
        item.definition.key,
      ),
    )
  await write('docs/tested.md', (text) => withReportsOfOthers(withLifecycles(text)))
  await write('src/generated/configuration-keys.ts', configurationTypes)
  for (const [name, text] of await referenceFiles())
    writeFileSync(join(import.meta.dirname, '../docs/reference', name), text)
  writeSkills()
  const document = await openapiDocument()
  await write('docs/openapi.json', () => document)
  await write('src/generated/client-paths.ts', () => clientTypes(document))
}
