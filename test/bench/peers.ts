import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What others offer for the same, to be measured beside ours. They are in no list of dependencies. */
const peers = ['better-auth@1.7', '@better-auth/stripe@1.7', 'stripe@22']

/**
 * A folder of their own with them, from the registry; PEERS_FOLDER names one that is there. Null, with a line
 * that says so, where they cannot be had.
 */
export function bringPeers(folder: string): { folder: string; version: string } | null {
  const place = process.env.PEERS_FOLDER ?? folder
  try {
    if (process.env.PEERS_FOLDER === undefined) {
      mkdirSync(place, { recursive: true })
      writeFileSync(join(place, 'package.json'), '{"private":true,"type":"module"}')
      // Their plugin names its peers to the last digit, of another day than theirs.
      const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps', ...peers]
      execFileSync('npm', args, { cwd: place, stdio: 'ignore', timeout: 120_000 })
    }
    const about = readFileSync(join(place, 'node_modules', 'better-auth', 'package.json'), 'utf8')
    return { folder: place, version: (JSON.parse(about) as { version: string }).version }
  } catch (error) {
    console.log(`better-auth is left out: ${String(error).split('\n')[0]}`)
    return null
  }
}
