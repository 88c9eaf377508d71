/**
 * `npm run release`: checks everything that a release needs and prints what it would do. `-- --publish` does it.
 * `-- --skip package,hosts` leaves checks out; a release with a check left out is never published.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { missingNotes, packageNamesIn, siteSbom, unknownLicences } from './release-checks.ts'

const root = join(import.meta.dirname, '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  name: string
  version: string
}
const flags = process.argv.slice(2)
const skipped = new Set((flags[flags.indexOf('--skip') + 1] ?? '').split(','))
const isPublishing = flags.includes('--publish')

interface Check {
  readonly name: string
  /** Returns what to print when all is well. @throws with what is wrong and how to mend it */
  readonly run: () => string
  /** A failure of the service that is asked, not of the package: reported, never passed over when publishing. */
  readonly needsNetwork?: boolean
}

const checks: readonly Check[] = [
  { name: 'clean tree', run: checkTree },
  { name: 'version and changelog', run: checkChangelog },
  { name: 'name', run: checkName },
  { name: 'licences', run: checkLicences },
  { name: 'sbom', run: writeSbom },
  { name: 'audit', run: audit, needsNetwork: true },
  // publint, attw, and an install of the packed package that is imported, required and typed.
  { name: 'package', run: () => npm('run', '--silent', 'package').trim().split('\n').at(-1) ?? '' },
  { name: 'hosts', run: walkHosts },
]

const tag = manifest.version.includes('-') ? 'next' : 'latest'
let failed = 0
for (const check of checks) {
  if (skipped.has(check.name)) {
    console.log(`- ${check.name}: left out by --skip`)
    continue
  }
  try {
    console.log(`✔ ${check.name}: ${check.run()}`)
  } catch (error) {
    const isWarning = check.needsNetwork === true && !isPublishing
    if (!isWarning) failed += 1
    console.log(`${isWarning ? '!' : '✖'} ${check.name}: ${reasonOf(error)}`)
  }
}

const steps = [
  `git tag v${manifest.version} && git push origin v${manifest.version}`,
  `npm publish --provenance --access public --tag ${tag}`,
]
const canPublish = failed === 0 && [...skipped].every((name) => name === '')
if (!isPublishing) {
  console.log(`\nNothing was published. \`npm run release -- --publish\` would run:`)
  for (const step of steps) console.log(`  ${step}`)
  if (failed > 0) console.log(`\n${failed} of ${checks.length} checks failed: mend them first.`)
} else if (canPublish) {
  git('tag', `v${manifest.version}`)
  git('push', 'origin', `v${manifest.version}`)
  npm('publish', '--provenance', '--access', 'public', '--tag', tag)
  console.log(`Published ${manifest.name}@${manifest.version} as ${tag}.`)
} else console.log('\nNothing was published: every check has to pass, and none may be left out.')
process.exitCode = failed > 0 || (isPublishing && !canPublish) ? 1 : 0

function checkTree(): string {
  const changed = git('status', '--porcelain').trim()
  if (changed !== '') throw new Error(`commit or remove these first:\n${changed}`)
  return `at ${git('rev-parse', '--short', 'HEAD').trim()}`
}

function checkChangelog(): string {
  const { version } = manifest
  const problem = missingNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)
  if (problem !== null) throw new Error(problem)
  if (git('tag', '--list', `v${version}`).trim() !== '')
    throw new Error(`v${version} is tagged already: raise the version with \`npm version\`.`)
  return version
}

// The name stands in package.json alone; every document has to agree with it.
function checkName(): string {
  const documents = git('ls-files', '*.md').trim().split('\n')
  const others = documents.flatMap((file) =>
    packageNamesIn(readFileSync(join(root, file), 'utf8'))
      .filter((name) => name !== manifest.name)
      .map((name) => `${file}: ${name}`),
  )
  if (others.length > 0) throw new Error(`documents install another package:\n${others.join('\n')}`)
  return `${manifest.name}, in ${documents.length} documents`
}

function checkLicences(): string {
  const { total, unknown } = unknownLicences(readLock())
  if (unknown.length > 0) throw new Error(`not on the list of licences:\n${unknown.join('\n')}`)
  return `${total} packages that a site installs, all permissive`
}

function readLock() {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
}

function writeSbom(): string {
  const sbom = npm('sbom', '--sbom-format', 'cyclonedx', '--package-lock-only')
  const folder = join(root, 'test-results')
  mkdirSync(folder, { recursive: true })
  const described = siteSbom(JSON.parse(sbom), readLock(), manifest)
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(described, null, 2)}\n`)
  return `CycloneDX ${described.specVersion}, ${described.components.length} components, in test-results/sbom.cdx.json`
}

function audit(): string {
  // Below `npm run --silent` npm would not say what it found.
  npm('audit', '--omit=dev', '--audit-level=moderate', '--loglevel=warn')
  return 'no known vulnerability in what a site installs'
}

function walkHosts(): string {
  const hosts = ['koa', 'express', 'fastify', 'hono']
  npm('run', '--silent', 'hosts', '--', ...hosts)
  return `packed, installed and walked with ${hosts.join(', ')}`
}

function npm(...args: readonly string[]): string {
  return run('npm', args)
}

function git(...args: readonly string[]): string {
  return run('git', args)
}

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  })
}

function reasonOf(error: unknown): string {
  const { stderr, stdout, message } = error as Error & { stderr?: string; stdout?: string }
  const lines = `${stderr ?? ''}\n${stdout ?? ''}`.split('\n').filter((line) => /\S/.test(line))
  const told = lines.filter((line) => !line.startsWith('npm warn Unknown'))
  return told.length > 0 ? told.slice(-12).join('\n  ') : message
}
