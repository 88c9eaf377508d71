import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import test from 'ava'
import { isMembershipError } from '../../src/core/errors.ts'
import { packageFolder } from '../../src/core/package-folder.ts'
import { readShippedYaml } from '../../src/core/yaml.ts'

test('a file of the package that is no YAML is named with its line', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'membership-yaml-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'de.yml'), 'nav:\n  today: Heute: alles\n')
  const path = relative(packageFolder(), join(folder, 'de.yml'))
  const error = t.throws(() => readShippedYaml(path))
  t.true(isMembershipError(error, 'ERR_CONFIG'))
  t.true(error?.message.startsWith(`${path} is no YAML: `), error?.message)
  t.true(error?.message.endsWith(' at line 2, column 10'), error?.message)
})
