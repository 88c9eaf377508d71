import test from 'ava'
import { missingNotes, packageNamesIn, siteSbom, unknownLicences } from '../../scripts/release-checks.ts'

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

test('the bill of materials lists everything that a site installs, shared development tools included, and our name', (t) => {
  const sbom = {
    specVersion: '1.5',
    components: ['better-sqlite3@12.11.1', 'ava@7.0.0', 'bindings@1.5.0'].map((ref) => ({ 'bom-ref': ref })),
    dependencies: [
      { ref: 'membership@2.0.0', dependsOn: ['better-sqlite3@12.11.1', 'ava@7.0.0'] },
      { ref: 'better-sqlite3@12.11.1', dependsOn: ['bindings@1.5.0'] },
      { ref: 'ava@7.0.0', dependsOn: ['better-sqlite3@12.11.1'] },
    ],
    metadata: { component: { 'bom-ref': 'membership@2.0.0', name: 'folder', type: 'library' } },
  }
  const packages = {
    '': { version: '2.0.0' },
    'node_modules/better-sqlite3': { version: '12.11.1' },
    'node_modules/better-sqlite3/node_modules/bindings': { version: '1.5.0' },
    'node_modules/ava': { version: '7.0.0', dev: true },
  }
  t.deepEqual(siteSbom(sbom, { packages }, { name: 'membership', version: '2.0.0' }), {
    specVersion: '1.5',
    components: [{ 'bom-ref': 'better-sqlite3@12.11.1' }, { 'bom-ref': 'bindings@1.5.0' }],
    dependencies: [
      { ref: 'membership@2.0.0', dependsOn: ['better-sqlite3@12.11.1'] },
      { ref: 'better-sqlite3@12.11.1', dependsOn: ['bindings@1.5.0'] },
    ],
    metadata: {
      component: {
        'bom-ref': 'membership@2.0.0',
        name: 'membership',
        type: 'library',
        version: '2.0.0',
      } as { 'bom-ref': string },
    },
  })
})
