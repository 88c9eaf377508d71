import test from 'ava'
import {
  missingNotes,
  packageNamesIn,
  unknownLicences,
  withoutMachineName,
} from '../../scripts/release-checks.ts'

test('a version without notes is not released', (t) => {
  const changelog = '# Changelog\n\n## 2.1.0\n\n- Gifts.\n\n## 2.0.0 (2026-12-01)\n\n## 1.9.0\n\n- Old.\n'
  t.is(missingNotes(changelog, '2.1.0'), null)
  t.regex(missingNotes(changelog, '2.0.0') ?? '', /lists nothing/)
  t.regex(missingNotes(changelog, '2.2.0') ?? '', /no section "## 2\.2\.0"/)
})

test('a document that installs the package under another name is found', (t) => {
  t.deepEqual(packageNamesIn('npm install membership koa\nnpm i membership@next'), [
    'membership',
    'membership',
  ])
  t.deepEqual(packageNamesIn('`npm install @acme/membership@2`'), ['@acme/membership'])
  t.deepEqual(packageNamesIn('npm install stripe\nnpm install ./membership-2.0.0.tgz'), [])
})

test('a dependency of a site needs a permissive licence', (t) => {
  const { total, unknown } = unknownLicences({
    packages: {
      '': { license: 'UNLICENSED' },
      'node_modules/a': { license: 'MIT' },
      'node_modules/b': { license: '(GPL-3.0 OR MIT)' },
      'node_modules/c': { license: 'MIT AND GPL-3.0' },
      'node_modules/d': {},
      'node_modules/e': { license: 'GPL-3.0', dev: true },
    },
  })
  t.is(total, 4)
  t.deepEqual(unknown, ['c: MIT AND GPL-3.0', 'd: none'])
})

test('the bill of materials has the name of the package, not of the folder', (t) => {
  const sbom = {
    specVersion: '1.5',
    components: [],
    metadata: { component: { name: 'folder', type: 'library' } },
  }
  t.deepEqual(withoutMachineName(sbom, { name: 'membership', version: '2.0.0' }).metadata.component, {
    name: 'membership',
    type: 'library',
    version: '2.0.0',
  } as object)
})
