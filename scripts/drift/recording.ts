import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

// The tests that make the adapters ask for everything they can ask for.
const tests = [
  ...['selling', 'list', 'endpoints', 'paid-trials', 'accounts'].map(
    (name) => `test/providers/${name}.test.ts`,
  ),
  'test/memberships/checkout/refunds.test.ts',
  'test/memberships/import/provider.test.ts',
  'test/providers/*/*.test.ts',
  '!test/providers/sandbox/**',
]

/**
 * Writes what the adapters send, and what they are answered, into a file, while their tests run. Answers the
 * tests that failed: what those would have sent is missing.
 */
export function record(file: string): string[] {
  rmSync(file, { force: true })
  console.log('The adapters’ tests run, and what they send is written down …')
  const { status, stdout } = spawnSync(process.execPath, ['node_modules/ava/entrypoints/cli.mjs', ...tests], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: {
      ...process.env,
      DRIFT_RECORD: file,
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${join(import.meta.dirname, 'record.mjs')}`,
    },
  })
  if (status === 0) return []
  return [...stdout.split('\n').filter((line) => line.includes('✘')), `the tests ended with ${status}`]
}

/** Installs packages to be read: nothing of them is run. */
export function installNewest(folder: string, packages: readonly string[]): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'newest', private: true }))
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent']
  execFileSync('npm', ['install', ...flags, ...packages.map((name) => `${name}@latest`)], {
    cwd: folder,
    stdio: 'inherit',
  })
}
