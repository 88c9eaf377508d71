/**
 * Compares each adapter with the newest official package of its provider, which is installed in a folder of
 * its own: `npm run drift [-- paddle mollie … --write --requests FILE]`. It exits with 1 where something
 * differs.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import ts from 'typescript'
import { between } from '../provider-tables.ts'
import { type Comparison, compare, typesOf } from './compare.ts'
import { compareGoogle, googlePackage } from './google.ts'
import { installNewest, record } from './recording.ts'
import { openSdk } from './sdk.ts'
import { recordedIn, writtenIn } from './sent.ts'
import { subjects } from './subjects.ts'

const root = join(import.meta.dirname, '../..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false }, requests: { type: 'string' } },
})
// Google Play is only read, so that nothing that is sent has to be recorded.
const hasGoogle = positionals.length === 0 || positionals.includes('google')
const named = positionals.filter((key) => key !== 'google')
const keys = positionals.length > 0 ? named : Object.keys(subjects)
const unknown = keys.find((key) => !Object.hasOwn(subjects, key))
if (unknown !== undefined)
  throw new Error(`There is no "${unknown}"; there are ${[...Object.keys(subjects), 'google'].join(', ')}.`)

// A folder with everything installed saves the install.
const kept = process.env.SDKS_FOLDER
const folder = kept ?? mkdtempSync(join(tmpdir(), 'membership-drift-'))
const requests = values.requests === undefined ? join(folder, 'requests.jsonl') : resolve(values.requests)

try {
  if (kept === undefined)
    installNewest(folder, [
      ...keys.map((key) => subjects[key]!.sdk.package),
      ...(hasGoogle ? [googlePackage] : []),
    ])
  if (hasGoogle) reportGoogle()
  const isRecorded = keys.length === 0 || (values.requests !== undefined && existsSync(requests))
  const failed = isRecorded ? [] : record(requests)
  for (const line of failed) console.log(`✘ What these would have sent is missing: ${line}`)
  if (failed.length > 0) process.exitCode = 1
  for (const key of keys) report(key, compareOne(key))
} finally {
  if (kept === undefined) rmSync(folder, { recursive: true, force: true })
}

function reportGoogle(): void {
  const { version, differences } = compareGoogle(folder, root)
  console.log(`${differences.length === 0 ? '✔' : '✘'} google with ${googlePackage} ${version}: every field`)
  for (const what of differences) console.log(`    field: ${what}`)
  if (differences.length > 0) process.exitCode = 1
}

function compareOne(key: string): Comparison & { readonly version: string } {
  const subject = subjects[key]!
  const sdk = openSdk(folder, subject.sdk, typesOf(subject))
  const files = ts.sys.readDirectory(join(root, 'src/providers', key), ['.ts'])
  return {
    version: sdk.version,
    ...compare(subject, sdk, [...recordedIn(requests, key), ...writtenIn(files)]),
  }
}

function report(
  key: string,
  { version, differences, unsent, ...count }: ReturnType<typeof compareOne>,
): void {
  const subject = subjects[key]!
  const events = subject.events === null ? 'no events, which it does not name' : `${count.events} events`
  const compared = `${count.requests} requests with ${count.fields} fields, ${count.words} words, ${events}`
  console.log(
    `${differences.length === 0 ? '✔' : '✘'} ${key} with ${subject.sdk.package} ${version}: ${compared}`,
  )
  for (const { kind, what } of differences) console.log(`    ${kind}: ${what}`)
  if (unsent.length > 0) console.log(`    only read in the source: ${unsent.join(', ')}`)
  if (differences.length > 0) process.exitCode = 1
  else if (values.write) note(key, `Last compared with \`${subject.sdk.package}\` ${version}: ${compared}.`)
}

function note(key: string, line: string): void {
  const file = join(root, 'docs/providers', `${key}.md`)
  writeFileSync(file, between(readFileSync(file, 'utf8'), 'compared', line))
}
