import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { isMembershipError, type MembershipError } from '../../../src/core/errors.ts'
import { loadFingerprints } from '../../../src/reports/detection/index.ts'
import { fingerprintFolder } from './fixtures.ts'

function folderOf(t: ExecutionContext, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'fingerprints-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

function file(rule: string): string {
  return `name: Acme\nrules:\n  - { ${rule} }\n`
}

const good = file("channel: meta, pattern: 'acme ([0-9.]+)', contains: acme, weight: 60, version: true")

test('a fingerprint is a file, and its name is the key', (t) => {
  const all = loadFingerprints([folderOf(t, { 'acme-cms.yml': good, 'notes.txt': 'no', 'other.yaml': '{' })])
  t.deepEqual([...all.keys()], ['acme-cms'])
  const { key, name, rules } = all.get('acme-cms')!
  t.is(`${key}: ${name}`, 'acme-cms: Acme')
  t.like(rules[0], {
    channel: 'meta',
    pattern: 'acme ([0-9.]+)',
    contains: 'acme',
    weight: 60,
    version: true,
  })
})

test('a rule returns its match and the version', (t) => {
  const [rule] = loadFingerprints([folderOf(t, { 'acme.yml': good })]).get('acme')!.rules
  t.deepEqual(rule!.match('generator=ACME 2.1 (beta)'), { text: 'ACME 2.1', version: '2.1' })
  t.is(rule!.match('generator=Other 2.1'), null)
})

test('a group is no version unless the rule says so', (t) => {
  const text = file("channel: meta, pattern: 'acme( pro)?', weight: 60")
  const [rule] = loadFingerprints([folderOf(t, { 'acme.yml': text })]).get('acme')!.rules
  t.deepEqual(rule!.match('acme pro'), { text: 'acme pro', version: null })
  t.false(rule!.version)
  t.is(rule!.contains, undefined)
})

test('a later folder’s file replaces an earlier one’s, the rest stays', (t) => {
  const own = folderOf(t, { 'kirby.yml': good, 'own.yml': good })
  const all = loadFingerprints([fingerprintFolder, own])
  t.is(all.get('kirby')?.name, 'Acme')
  t.is(all.get('hugo')?.name, 'Hugo')
  t.true(all.has('own'))
  t.is(loadFingerprints([own, fingerprintFolder]).get('kirby')?.name, 'Kirby')
})

test('no folders, no fingerprints', (t) => {
  t.is(loadFingerprints([]).size, 0)
})

const broken: Record<string, { text: string; says: RegExp }> = {
  'no YAML': { text: 'name: [', says: /acme\.yml cannot be read: / },
  'a key given twice': { text: 'name: A\nname: B\nrules: []', says: /Map keys must be unique/ },
  'an empty file': { text: '', says: /acme\.yml: the file: / },
  'no rules': { text: 'name: Acme\nrules: []', says: /acme\.yml: rules: / },
  'no name': { text: 'rules: []', says: /acme\.yml: name: / },
  'an unknown key': { text: `${good}colour: red`, says: /acme\.yml: the file: .*colour/ },
  'an unknown channel': { text: file('channel: smell, pattern: a, weight: 1'), says: /rule 1, channel: / },
  'a weight of zero': { text: file('channel: meta, pattern: a, weight: 0'), says: /rule 1, weight: / },
  'a weight above 100': { text: file('channel: meta, pattern: a, weight: 101'), says: /rule 1, weight: / },
  'half a point': { text: file('channel: meta, pattern: a, weight: 1.5'), says: /rule 1, weight: / },
  'upper case to look for': {
    text: file('channel: meta, pattern: a, contains: Acme, weight: 1'),
    says: /rule 1, contains: must be in lower case/,
  },
  'an empty pattern': { text: file("channel: meta, pattern: '', weight: 1"), says: /rule 1, pattern: / },
  'a pattern left open': {
    text: file("channel: meta, pattern: '(a', weight: 1"),
    says: /rule 1: the pattern \(a /,
  },
  'a backreference': {
    text: file("channel: meta, pattern: '(a)\\1', weight: 1"),
    says: /rule 1: the pattern \(a\)\\1 cannot be used/,
  },
  'a look ahead': {
    text: file("channel: meta, pattern: 'a(?=b)', weight: 1"),
    says: /rule 1: the pattern a\(\?=b\) cannot be used/,
  },
  'a look behind': {
    text: file("channel: meta, pattern: '(?<!a)b', weight: 1"),
    says: /rule 1: the pattern \(\?<!a\)b cannot be used/,
  },
  'a version without a group': {
    text: file('channel: meta, pattern: a, weight: 1, version: true'),
    says: /rule 1: "version" needs a group/,
  },
}

function failure(t: ExecutionContext, load: () => unknown): MembershipError {
  const error = t.throws(load)
  t.true(isMembershipError(error, 'ERR_CONFIG'))
  t.truthy((error as MembershipError).action)
  return error as MembershipError
}

for (const [what, { text, says }] of Object.entries(broken))
  test(`a file with ${what} is refused with its name and place`, (t) => {
    const folder = folderOf(t, { 'acme.yml': text })
    const { message } = failure(t, () => loadFingerprints([folder]))
    t.regex(message, says)
    t.true(message.includes(join(folder, 'acme.yml')))
  })

test('a broken file is not read when a later one replaces it', (t) => {
  const all = loadFingerprints([folderOf(t, { 'acme.yml': ':' }), folderOf(t, { 'acme.yml': good })])
  t.is(all.get('acme')?.name, 'Acme')
})

test('a missing folder, a folder in place of a file and an odd name are refused', (t) => {
  const folder = folderOf(t, {})
  t.regex(failure(t, () => loadFingerprints([join(folder, 'none')])).message, /none cannot be read/)
  mkdirSync(join(folder, 'acme.yml'))
  t.regex(failure(t, () => loadFingerprints([folder])).message, /acme\.yml cannot be read/)
  const odd = folderOf(t, { 'Acme CMS.yml': good })
  t.regex(failure(t, () => loadFingerprints([odd])).message, /lower-case letters/)
})

test('a pattern that would backtrack endlessly elsewhere is answered at once', (t) => {
  const text = file("channel: meta, pattern: '^(a+)+$', weight: 1")
  const [rule] = loadFingerprints([folderOf(t, { 'acme.yml': text })]).get('acme')!.rules
  t.is(rule!.match(`${'a'.repeat(499)}b`), null)
})
